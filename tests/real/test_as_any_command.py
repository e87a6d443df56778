"""A real program as any command: the portable host sees its files as its own host does, and claims nothing more."""

from __future__ import annotations

import json
from typing import Any

CASE = (
    "organization",
    "--case",
    "policy-english",
    "--rehearsal",
    "honest",
    "--rehearsal",
    "appends",
    "--format",
    "json",
)
ENDPOINT = {
    "ANTHROPIC_BASE_URL": "{model_url}",
    "ANTHROPIC_API_KEY": "{model_key}",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_DISABLE_BUNDLED_SKILLS": "1",
    "DISABLE_AUTOUPDATER": "1",
}
"""How Claude Code learns where its model is, and what keeps it from asking elsewhere."""


def test_a_real_program_is_judged_alike_by_its_files_through_the_portable_host(claude: Any, desk: Any) -> None:
    own = desk.run("rehearse", *CASE, "--out", "own", *claude.flags)
    portable = desk.run(
        *("rehearse", *CASE, "--out", "portable", "--host", "portable", "--dialect", "claude"),
        *("--skill-dir", ".claude/skills", "--host-option", f"endpoint_env={json.dumps(ENDPOINT)}"),
        *("--", str(claude.binary), "-p", "--setting-sources", "project", "--permission-mode", "acceptEdits"),
        *("--allowedTools", "Skill"),
    )

    assert own.code == portable.code == 0, own.err + portable.err + portable.out
    assert portable.report["host"]["name"] == "portable"
    assert portable.verdicts == own.verdicts
    assert set(own.verdicts.values()) == {"passed", "failed"}
    for key, trial in own.trials.items():
        assert portable.outcomes(key) == own.outcomes(key), key
        assert portable.trials[key]["ending"] == trial["ending"], key
    evidence = {row["evidence"] for trial in portable.trials.values() for row in trial["trigger"]}
    assert evidence == {"unverified"}
    assert "read-observed" in {row["evidence"] for trial in own.trials.values() for row in trial["trigger"]}
