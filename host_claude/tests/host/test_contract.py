"""The contracts of host, normalizer and dialect: the program played in its own format, and recordings of it."""

from __future__ import annotations

import json

import pytest

from skilltrial.api import ToolOffer
from skilltrial.testing.contracts import ProvedOn
from skilltrial.testing.dialects import DialectContract, DialectSubject
from skilltrial.testing.hosts import HostContract, HostSubject
from skilltrial.testing.normalizers import NormalizerContract, NormalizerSubject
from skilltrial.testing.programs import PlacedSkill, Rendering, Reply, Spent, ToolUse, Turn, append, out
from skilltrial_host_claude.dialect import ClaudeDialect
from skilltrial_host_claude.host import ClaudeHost
from skilltrial_host_claude.normalizer import ClaudeNormalizer

RECORDED = "claude 2.1.332"
HELP = "  --effort <level>  Effort level for the current session\n                    (low, medium, high, xhigh, max)\n"


class ClaudeRendering(Rendering):
    """The stream of `claude -p --output-format stream-json`."""

    replies = (
        Reply(("--version",), "2.1.332 (Claude Code)\n"),
        Reply(("--help",), HELP),
        Reply(("auth", "status"), '{"loggedIn": true}\n'),
    )

    def line(self, turn: Turn, kind: str, **more: object):
        return out({"type": kind, "session_id": turn.session, **more})

    def asks(self, turn: Turn, id: str, tool: str, given: object):
        block = {"type": "tool_use", "id": id, "name": tool, "input": given}
        message = {"id": f"msg-{id}", "model": turn.model, "content": [block]}
        return self.line(turn, "assistant", message=message, parent_tool_use_id=None)

    def gets(self, turn: Turn, id: str, content: object, *, failed: bool = False, **more: object):
        block = {"type": "tool_result", "tool_use_id": id, "content": content, "is_error": failed}
        return self.line(turn, "user", message={"role": "user", "content": [block]}, **more)

    def begin(self, turn: Turn):
        servers = [{"name": offer.name, "status": "connected"} for offer in turn.offers]
        told = {"cwd": str(turn.project), "tools": ["Bash", "Skill"], "mcp_servers": servers, "model": turn.model}
        skills = [skill.id for skill in turn.skills]
        said = {"subtype": "init", "claude_code_version": "2.1.332", "skills": skills, "plugins": []}
        yield from self.line(turn, "system", **said, **told)
        row = '{"type":"user","message":{"role":"user","content":"Do it."}}'
        yield from append(f"$CLAUDE_CONFIG_DIR/projects/p/{turn.session}.jsonl", row)

    def read_skill(self, turn: Turn, skill: PlacedSkill):
        yield from self.asks(turn, "toolu_skill", "Skill", {"skill": skill.id})
        launched = {"success": True, "commandName": skill.id}
        yield from self.gets(turn, "toolu_skill", f"Launching skill: {skill.id}", tool_use_result=launched)
        text = f"Base directory for this skill: {turn.project}/{skill.folder}\n\n{skill.body.rpartition('---')[2]}"
        yield from self.line(turn, "user", message={"content": [{"type": "text", "text": text}]}, isSynthetic=True)

    def call(self, turn: Turn, use: ToolUse):
        yield from self.asks(turn, use.id, f"mcp__{use.server}__{use.tool}", dict(use.input))
        yield from self.gets(turn, use.id, [{"type": "text", "text": use.result}])

    def refused(self, turn: Turn, use: ToolUse):
        yield from self.asks(turn, use.id, "Write", {"file_path": "a", "content": "b"})
        denied = {"subtype": "permission_denied", "tool_name": "Write", "tool_use_id": use.id, "message": "no"}
        yield from self.line(turn, "system", **denied)
        meta = [{"id": use.id, "non_execution_kind": "user-rejected", "permission_decision": {"decision": "reject"}}]
        yield from self.gets(turn, use.id, "no", failed=True, tool_result_meta=meta)

    def answer(self, turn: Turn, text: str):
        self.last = text
        message = {"id": f"msg-{turn.number}", "model": turn.model, "content": [{"type": "text", "text": text}]}
        return self.line(turn, "assistant", message=message, parent_tool_use_id=None)

    def end(self, turn: Turn, spent: Spent):
        usage = {"input_tokens": spent.input, "output_tokens": spent.output}
        usage |= {"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        # What stands by the model is of the whole conversation so far.
        cost = float(spent.cost * turn.number)
        whole: dict[str, object] = {
            "inputTokens": spent.input * turn.number,
            "outputTokens": spent.output * turn.number,
        }
        whole |= {"cacheReadInputTokens": 0, "cacheCreationInputTokens": 0, "costUSD": cost}
        return self.line(
            turn,
            "result",
            subtype="success",
            is_error=False,
            result=self.last,
            total_cost_usd=cost,
            usage=usage,
            modelUsage={turn.model: whole},
            terminal_reason="completed",
        )


class TestHost(HostContract):
    @pytest.fixture
    def subject(self) -> HostSubject:
        def make(program, **options):
            return ClaudeHost(binary=str(program), **options)

        return HostSubject(ClaudeHost, make, ClaudeRendering(), ClaudeNormalizer(), name="claude")


class TestNormalizer(NormalizerContract):
    proved_on = ProvedOn.RECORDINGS
    program = RECORDED

    @pytest.fixture
    def subject(self, recordings, recorded) -> NormalizerSubject:
        names = sorted(file.parent.name for file in recordings.glob("*/runs.json"))
        records = {name: recorded(name) for name in names}
        # In a command of the program's own no model takes part; of the servers one did not connect; a state could not
        # be written. Tasks in the background end with turns of their own.
        broken = ("local_command", "mcp_stdio", "state_unwritable")
        well = {name: told for name, told in records.items() if _completed(told) and name not in broken}
        well |= {name: records[name] for name in ("background", "subagent")}
        assert len(well) > 20
        return NormalizerSubject(ClaudeNormalizer(), well, {n: told for n, told in records.items() if n not in well})


_COST = '"total_cost_usd"'


def _completed(records) -> bool:
    """By the program's own last word and its exit code, not by the normalizer that is tested."""
    sent = sum('"note": "turn_sent"' in record.raw for record in records)
    codes = [record.raw for record in records if '"note": "exited"' in record.raw]
    results = [json.loads(record.raw) for record in records if record.raw.startswith("{") and _COST in record.raw]
    well = [one for one in results if one.get("subtype") == "success" and one.get("is_error") is False]
    spoken = all(one.get("result") for one in well)
    return spoken and len(well) == sent == len(codes) and all('"code": 0' in code for code in codes)


class TestDialect(DialectContract):
    @pytest.fixture
    def subject(self) -> DialectSubject:
        own = tuple(ToolOffer(name) for name in ("Bash", "Read", "Write", "Edit"))
        tools = (*own, ToolOffer("Skill"), ToolOffer("mcp__memory__remember"))
        return DialectSubject(ClaudeDialect(), tools, (*own, ToolOffer("Skill")), lists_skills=False)
