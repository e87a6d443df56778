"""The contracts of host, normalizer and dialect: the program played in its own format, and recordings of it."""

from __future__ import annotations

import pytest

from skilltrial.api import ToolOffer
from skilltrial.testing.contracts import ProvedOn
from skilltrial.testing.dialects import DialectContract, DialectSubject
from skilltrial.testing.hosts import HostContract, HostSubject
from skilltrial.testing.normalizers import NormalizerContract, NormalizerSubject
from skilltrial.testing.programs import PlacedSkill, Rendering, Reply, Spent, ToolUse, Turn, append, out
from skilltrial_host_codex.dialect import CodexDialect
from skilltrial_host_codex.host import CodexHost
from skilltrial_host_codex.normalizer import CodexNormalizer

RECORDED = "codex 0.171.0"
MODELS = '{"models": [{"slug": "m", "supported_reasoning_levels": [{"effort": "low"}, {"effort": "high"}]}]}'


class CodexRendering(Rendering):
    """The stream of `codex exec --json`, and the rows of its session log."""

    replies = (
        Reply(("--version",), "codex-cli 0.171.0\n"),
        Reply(("debug",), MODELS),
        Reply(("login", "status"), err="Not logged in\n", code=1),
    )

    def log(self, turn: Turn, *rows: tuple[str, dict]):
        path = f"$CODEX_HOME/sessions/2026/11/30/rollout-2026-11-30T10-00-00-{turn.session}.jsonl"
        return append(path, *({"type": kind, "payload": payload} for kind, payload in rows))

    def begin(self, turn: Turn):
        yield from out({"type": "thread.started", "thread_id": turn.session}, {"type": "turn.started"})
        if turn.number == 1:
            meta = {"id": turn.session, "cwd": str(turn.project), "cli_version": "0.171.0", "model_provider": "kit"}
            yield from self.log(turn, ("session_meta", meta))
        listed = "".join(
            f"- {skill.id}: How notes are written. (file: {turn.project}/{skill.folder}/SKILL.md)\n"
            for skill in turn.skills
        )
        text = f"<skills_instructions>\n## Skills\n### Available skills\n{listed}</skills_instructions>"
        said = {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": text}]}
        context = {"turn_id": f"turn-{turn.number}", "model": turn.model}
        yield from self.log(turn, ("response_item", said), ("turn_context", context))

    def read_skill(self, turn: Turn, skill: PlacedSkill):
        item: dict[str, object] = {"id": "item_1", "type": "command_execution"}
        item["command"] = f"/bin/bash -lc 'cat {skill.folder}/SKILL.md'"
        ended = {"aggregated_output": skill.body, "exit_code": 0, "status": "completed"}
        yield from out({"type": "item.started", "item": {**item, "status": "in_progress"}})
        yield from out({"type": "item.completed", "item": {**item, **ended}})

    def call(self, turn: Turn, use: ToolUse):
        item: dict[str, object] = {
            "id": f"item_{use.id}",
            "type": "mcp_tool_call",
            "server": use.server,
            "tool": use.tool,
        }
        item["arguments"] = dict(use.input)
        result = {"content": [{"type": "text", "text": use.result}], "structured_content": None}
        yield from out({"type": "item.started", "item": {**item, "result": None, "status": "in_progress"}})
        yield from out({"type": "item.completed", "item": {**item, "result": result, "status": "completed"}})

    def refused(self, turn: Turn, use: ToolUse):
        """The stream hides what was refused; the log has it."""
        asked = {"type": "function_call", "name": "exec_command", "arguments": '{"cmd": "rm -r /"}', "call_id": use.id}
        told = "exec_command failed: rejected by user approval settings"
        answer = {"type": "function_call_output", "call_id": use.id, "output": told}
        yield from self.log(turn, ("response_item", asked), ("response_item", answer))

    def answer(self, turn: Turn, text: str):
        return out({"type": "item.completed", "item": {"id": "item_9", "type": "agent_message", "text": text}})

    def end(self, turn: Turn, spent: Spent):
        used = {"input_tokens": spent.input * turn.number, "output_tokens": spent.output * turn.number}
        yield from out({"type": "turn.completed", "usage": used})
        asked = {"response_id": f"resp-{turn.number}", "turn_token_usage": used}
        done = {"type": "task_complete", "turn_id": f"turn-{turn.number}"}
        yield from self.log(turn, ("token_usage_record", asked), ("event_msg", done))


class TestHost(HostContract):
    @pytest.fixture
    def subject(self, operator) -> HostSubject:
        def make(program, **options):
            return CodexHost(binary=str(program), **options)

        return HostSubject(CodexHost, make, CodexRendering(), CodexNormalizer(), name="codex")


class TestNormalizer(NormalizerContract):
    proved_on = ProvedOn.RECORDINGS
    program = RECORDED

    @pytest.fixture
    def subject(self, names, recorded) -> NormalizerSubject:
        records = {name: recorded(name) for name in names}
        # Without its log a turn that ended well is not whole.
        well = {name: told for name, told in records.items() if _completed(told) and name != "classic/state_unwritable"}
        assert len(well) > 20
        return NormalizerSubject(CodexNormalizer(), well, {n: told for n, told in records.items() if n not in well})


def _completed(records) -> bool:
    """By the program's own last word and its exit code, not by the normalizer that is tested."""
    last = [record.raw for record in records if record.raw.startswith('{"type":"turn.')]
    codes = [record.raw for record in records if '"note": "exited"' in record.raw]
    sent = sum('"note": "turn_sent"' in record.raw for record in records)
    spoken = any('"type":"agent_message","text":"' in record.raw for record in records)
    return (
        spoken
        and sum(line.startswith('{"type":"turn.completed"') for line in last) == sent == len(codes)
        and all('"code": 0' in code for code in codes)
    )


class TestDialect(DialectContract):
    @pytest.fixture
    def subject(self) -> DialectSubject:
        own = tuple(ToolOffer(name) for name in ("exec_command", "write_stdin", "apply_patch", "view_image"))
        return DialectSubject(CodexDialect(), (*own, ToolOffer("mcp__memory/remember")), own, lists_skills=False)
