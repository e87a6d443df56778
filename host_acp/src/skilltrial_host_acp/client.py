"""What the bridge answers to an agent: permissions by one rule that is alike in all arms, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from acp import RequestError
from acp.connection import StreamEvent
from acp.schema import (
    AllowedOutcome,
    DeniedOutcome,
    PermissionOption,
    RequestPermissionResponse,
    ToolCallUpdate,
)

from .job import Job
from .permissions import Call, allows
from .reading import inner, text


class Client:
    """The client's side of one turn. It offers neither files nor terminals: an agent uses its own tools."""

    def __init__(self, job: Job, project: str) -> None:
        self._job = job
        self._project = Path(project)
        self._told: dict[str, dict[str, Any]] = {}
        """What was told of each call so far: a request for permission may leave out what is known."""

    def heard(self, event: StreamEvent) -> None:
        """Take up what a message tells of a call, before anything is asked about it."""
        update = inner(inner(event.message, "params"), "update")
        call, kind = text(update, "toolCallId") or "", text(update, "sessionUpdate")
        if kind == "tool_call":
            self._told[call] = dict(update)
        elif kind == "tool_call_update":
            self._told[call] = self._told.get(call, {}) | _known(update)

    async def request_permission(
        self,
        session_id: str,
        tool_call: ToolCallUpdate,
        options: list[PermissionOption],
        **_: Any,
    ) -> RequestPermissionResponse:
        """Allow once what the rule allows; refuse the rest. Never allow always: nobody would ask again."""
        wanted = ("allow_once",) if self.allows(tool_call) else ("reject_once", "reject_always")
        for kind in wanted:
            for option in options:
                if option.kind == kind:
                    return RequestPermissionResponse(
                        outcome=AllowedOutcome(outcome="selected", option_id=option.option_id)
                    )
        return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))

    def allows(self, call: ToolCallUpdate) -> bool:
        """Whether a call may be carried out."""
        told = self._told.get(call.tool_call_id, {}) | _known(call.model_dump(mode="json", by_alias=True))
        return allows(self._job, self._project, Call.told(told))

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        """Already a line."""

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        """Already a line."""

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Nothing of that kind is offered."""
        raise RequestError.method_not_found(method)

    def on_connect(self, conn: Any) -> None:
        """Nothing to do."""


def _known(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
