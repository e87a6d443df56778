"""What became of a call: its result, its failure, or why it was not carried out."""

from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple

from .lines import Object, inner, number, several, text, texts
from .thread import Call

Reason = Literal["schema", "unknown_tool", "permission", "hook", "policy"]

_REJECTED: tuple[tuple[re.Pattern[str], Reason], ...] = (
    (re.compile(r"^failed to parse function arguments"), "schema"),
    (re.compile(r"^apply_patch verification failed: invalid patch"), "schema"),
    (re.compile(r"^unsupported (?:custom tool )?call: "), "unknown_tool"),
    (re.compile(r"^TypeError: tools\.\w+ is not a function"), "unknown_tool"),
    (re.compile(r"rejected by user approval settings|^approval policy is Never; reject"), "permission"),
    (re.compile(r"requires approval, but approval policy is never|^user (?:rejected|cancelled) MCP"), "permission"),
    (re.compile(r"^(?:tool call )?blocked by .*hook", re.I), "hook"),
)
_ANSWERED = re.compile(
    r"(?:Chunk ID: [^\n]*\n)?(?:Wall time: [^\n]*\n)?"
    r"(?:Process exited with code (-?\d{1,9})|Process running with session ID [^\n]*)\n"
    r"(?:Original token count: [^\n]*\n)?Output:\n(.*)",
    re.S,
)
_PATCHED = re.compile(r"^Exit code: (-?\d+)\n")
_FAILED = re.compile(
    r"^(?:apply_patch verification failed|unable to |aborted|Wall time: .*\naborted by user|Script failed)"
)
DENIED = re.compile(r"permission denied|operation not permitted|read-only file system", re.I)


class Outcome(NamedTuple):
    """`seq` is None where nothing came back."""

    seq: int | None = None
    content: Any = None
    is_error: bool = False
    error: str | None = None
    """The call broke down with this message: no result."""
    rejected: Reason | None = None
    exit: int | None = None
    output: str | None = None
    """What a command printed, where it was a command."""


def outcome_of(call: Call) -> Outcome:
    """By what was carried out, in log or stream, else by what the model was told."""
    item, kind, seq = call.item, call.item_kind, call.item_seq
    if call.item_seq is not None and call.output_seq is not None and call.output_seq < call.item_seq:
        # A command that went on in the background: the model was answered before it ended.
        return _of_output(call, texts(call.output), call.output_seq)
    if kind is None and call.stream is not None and call.stream.completed is not None:
        item, kind, seq = call.stream.value, call.stream.kind, call.stream.completed
    elif call.stream is not None and call.stream.completed is not None:
        # Both saw it. The stream's line came first; its results are not shortened.
        seq = call.stream.completed
        item = call.stream.value if kind == "mcp_tool_call" else item
    if kind is not None and seq is not None:
        return of_item(kind, item, seq)
    if call.output_seq is not None:
        return _of_output(call, texts(call.output), call.output_seq)
    return Outcome()


def contradicted(call: Call) -> Outcome | None:
    """What the log says came of a call where the stream tells of another success; None where they agree."""
    if call.item_kind is None or call.item_seq is None or call.stream is None or call.stream.completed is None:
        return None
    logged = of_item(call.item_kind, call.item, call.item_seq)
    shown = of_item(call.stream.kind, call.stream.value, call.stream.completed)
    return logged if (logged.is_error, logged.rejected) != (shown.is_error, shown.rejected) else None


def of_item(kind: str, item: Object, seq: int) -> Outcome:
    """What a stream item or a log item says."""
    if kind == "mcp_tool_call":
        return _of_mcp(item, seq)
    failed = text(item, "status") not in {"completed", None}
    if kind == "command_execution":
        code, printed = number(item, "exit_code"), text(item, "aggregated_output") or ""
        return Outcome(seq, printed, failed or code != 0, exit=code, output=printed)
    if kind == "file_change":
        return Outcome(seq, text(item, "stdout") or text(item, "status"), failed)
    return Outcome(seq, item.get("agents_states"), failed)


def _of_mcp(item: Object, seq: int) -> Outcome:
    message = item.get("error")
    if message is not None:
        message = text(message, "message") if isinstance(message, dict) else str(message)
        reason = rejection(message or "")
        return Outcome(seq, error=message or "", rejected=reason, is_error=True)
    result = inner(item, "result")
    content: dict[str, Any] = {"content": list(several(result, "content"))}
    structured = result.get("structured_content", result.get("structuredContent"))
    if structured is not None:
        content["structured_content"] = structured
    return Outcome(seq, content, text(item, "status") == "failed" or result.get("isError") is True)


def _of_output(call: Call, told: str, seq: int) -> Outcome:
    # A script is always carried out: what it says was refused is a call of its own.
    reason = None if call.is_script else rejection(told)
    if reason is not None:
        return Outcome(seq, told, is_error=True, rejected=reason)
    if call.tool in {"exec_command", "write_stdin"} and (found := _ANSWERED.match(told)):
        code = None if found[1] is None else int(found[1])
        return Outcome(seq, found[2], code not in {0, None}, exit=code, output=found[2])
    found = _PATCHED.search(told) if call.tool == "apply_patch" else None
    content = call.output if call.tool == "tool_search" else told
    return Outcome(seq, content, bool(_FAILED.search(told)) or (found is not None and found[1] != "0"))


def rejection(told: str) -> Reason | None:
    """Why a call was not carried out, by what the model was told; None where it was."""
    return next((reason for pattern, reason in _REJECTED if pattern.search(told[:2000])), None)
