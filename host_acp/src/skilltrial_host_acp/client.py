"""What the bridge answers to an agent: permissions by one rule that is alike in all arms, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from acp import RequestError
from acp.schema import (
    AllowedOutcome,
    DeniedOutcome,
    PermissionOption,
    RequestPermissionResponse,
    ToolCallUpdate,
)

from .job import Job

_HARMLESS = frozenset({"read", "search", "think"})
_INSIDE = frozenset({"edit", "delete", "move"})
"""Kinds of calls that are allowed where every file that they name lies in the project."""


class Client:
    """The client's side of one turn. It offers neither files nor terminals: an agent uses its own tools."""

    def __init__(self, job: Job, project: str) -> None:
        self._job = job
        self._project = Path(project)

    async def request_permission(
        self,
        session_id: str,
        tool_call: ToolCallUpdate,
        options: list[PermissionOption],
        **_: Any,
    ) -> RequestPermissionResponse:
        """Allow once what the rule allows; refuse the rest."""
        wanted = ("allow_once", "allow_always") if self.allows(tool_call) else ("reject_once", "reject_always")
        for kind in wanted:
            for option in options:
                if option.kind == kind:
                    return RequestPermissionResponse(
                        outcome=AllowedOutcome(outcome="selected", option_id=option.option_id)
                    )
        return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))

    def allows(self, call: ToolCallUpdate) -> bool:
        """Whether a call may be carried out."""
        title, kind = call.title or "", call.kind or "other"
        if any(title == tool or title.endswith((f"_{tool}", f"/{tool}", f":{tool}")) for tool in self._job.tools):
            return True
        if any(word in (kind, title) or title.startswith(f"{word} ") for word in self._job.allow):
            return True
        if kind == "execute" and title.strip("` ").partition(" ")[0] in self._job.programs:
            return True
        paths = [self._project / location.path for location in call.locations or ()]
        inside = bool(paths) and all(path.resolve().is_relative_to(self._project.resolve()) for path in paths)
        return kind in _HARMLESS or (kind in _INSIDE and inside)

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        """Already a line."""

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        """Already a line."""

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Nothing of that kind is offered."""
        raise RequestError.method_not_found(method)

    def on_connect(self, conn: Any) -> None:
        """Nothing to do."""
