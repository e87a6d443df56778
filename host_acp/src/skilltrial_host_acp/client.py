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
        if text(update, "sessionUpdate") in ("tool_call", "tool_call_update"):
            self._of(text(update, "toolCallId") or "", update)

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
        asked = call.model_dump(mode="json", by_alias=True, exclude_none=True)
        return allows(self._job, self._project, Call.told(self._of(call.tool_call_id, asked)))

    def _of(self, call: str, more: Mapping[str, Any]) -> dict[str, Any]:
        told = self._told.setdefault(call, {})
        told.update((key, value) for key, value in more.items() if value is not None)
        return told

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        """Already a line."""

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        """Already a line."""

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Nothing of that kind is offered."""
        raise RequestError.method_not_found(method)

    def on_connect(self, conn: Any) -> None:
        """Nothing to do."""
