"""Checks on what a program could not do: tools that it does not have, and permissions that were refused."""

from __future__ import annotations

from typing import ClassVar, Literal

from skilltrial.api import CheckOptions, CheckResult, Evidence, PermissionDecided, ToolRejected, ToolRequested
from skilltrial.checks.wording import cut

from .attempts import all_are_shown
from .describing import Name
from .reasons import Reason, failed, unverified


class UnknownToolCheck(CheckOptions):
    """No tool was asked for that the program does not have, nor one that only bears the name of a fixture's."""

    subject: ClassVar[str | None] = "server"

    unknown_tools: Literal["never"]
    server: Name | None = None
    """The fixture whose tools are known."""
    named: Name | None = None
    """A tool that is none of the server's and has this in its name, whatever the case, is unknown too."""

    def sentence(self) -> str:
        """See CheckOptions."""
        named = "" if self.named is None else f", nor one that is called {cut(self.named)} and is none of its"
        return f"no tool{'' if self.server is None else f' of {cut(self.server)}'} is called that is not there{named}"


class DenialCheck(CheckOptions):
    """Nobody refused a call: neither the user in whose name the program asks, nor a policy."""

    denials: Literal["never"]

    def sentence(self) -> str:
        """See CheckOptions."""
        return "no call is refused by a permission or a policy"


def none_is_unknown(check: UnknownToolCheck, evidence: Evidence) -> CheckResult:
    """Answer an UnknownToolCheck."""
    asked = {event.call: event for event in evidence.events if isinstance(event, ToolRequested)}
    for event in evidence.events:
        if isinstance(event, ToolRejected) and event.reason == "unknown_tool":
            tool = asked[event.call].tool if event.call in asked else "a tool"
            raise failed(Reason.TOOL_UNKNOWN, seen=cut(tool))
    for request in asked.values():
        if request.server == check.server or check.named is None:
            continue
        # Folded as names are, so that a spelling in capitals is no way around.
        if check.named.casefold() in f"{request.server or ''} {request.tool}".casefold():
            raise failed(Reason.TOOL_UNKNOWN, seen=cut(request.tool))
    return _if_whole(evidence)


def none_is_denied(check: DenialCheck, evidence: Evidence) -> CheckResult:
    """Answer a DenialCheck."""
    for event in evidence.events:
        if isinstance(event, PermissionDecided) and event.decision == "denied":
            raise failed(Reason.CALL_DENIED, seen=cut(event.tool))
        if isinstance(event, ToolRejected) and event.reason in ("permission", "policy"):
            raise failed(Reason.CALL_DENIED, seen=event.reason)
    return _if_whole(evidence)


def _if_whole(evidence: Evidence) -> CheckResult:
    if not all_are_shown(evidence, None):
        raise unverified(Reason.CALLS_NOT_SHOWN)
    return CheckResult.passed()
