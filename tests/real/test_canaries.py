"""What the doctor plants in a made-up home is met by a program that is started there: else it would be no canary.

Codex's notifier is left out: it is started only where a turn came to its end, and nobody answers here.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from skilltrial.doctor.canaries import AGENTS, CANARY_TEXT, MEMORY_TEXT, PLUGIN, PLUGIN_TEXT, PROJECT_TEXT
from skilltrial.doctor.planting import plant

PROVIDER = '{{name="E", base_url="{url}/v1", wire_api="responses", env_key="CODEX_API_KEY", supports_websockets=false}}'


def started(program: Any, url: str) -> tuple[str, ...]:
    """The command by which a user would give this program a prompt."""
    if program.host == "claude":
        return (str(program.binary), "-p")
    provider = ("-c", 'model_provider="e"', "-c", f"model_providers.e={PROVIDER.format(url=url)}")
    return (str(program.binary), "exec", "--skip-git-repo-check", *provider, "-")


def ask(program: Any, url: str, home: Path, project: Path, *flags: str) -> None:
    """Give it a prompt as the user of this home would. Nothing leaves this machine."""
    addresses = {"HTTPS_PROXY": url, program.address: f"{url}{program.below}"}
    quick = {"CLAUDE_CODE_MAX_RETRIES": "0", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    user = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(home.parent), program.key: "sk-none"}
    subprocess.run(
        (*started(program, url), *flags),
        cwd=project,
        env={**user, **addresses, **quick},
        input=b"Keep a note.",
        capture_output=True,
        timeout=240,
        check=False,
    )


def test_all_that_is_planted_reaches_a_program_that_nothing_keeps_out(
    program: Any, refusing: Any, tmp_path: Path, comes_true: Callable[..., bool]
) -> None:
    home, traces, project = (tmp_path / name for name in ("home", "started", "project"))
    for folder in (traces, project):
        folder.mkdir()
    plant(home, traces, project)

    ask(program, refusing.url, home, project)

    asked = "\n".join(refusing.bodies)
    assert [text for text in (CANARY_TEXT, MEMORY_TEXT, PLUGIN_TEXT, f"{PLUGIN}:notes") if text not in asked] == []
    own = ("a hook", "an MCP server", "a plugin's hook", "a plugin's MCP server")
    expected = {f"{one} of {AGENTS[f'.{program.host}']}" for one in own}
    assert comes_true(lambda: {path.name for path in traces.iterdir()} == expected), list(traces.iterdir())


def test_what_was_remembered_of_the_project_reaches_claude_code_though_it_is_given_no_settings_of_the_users(
    claude: Any, refusing: Any, tmp_path: Path
) -> None:
    home, traces, root = (tmp_path / name for name in ("home", "started", "my_project"))
    # As the doctor has it: the trials lie below a folder that looks like the root of a repository.
    project = root / "places" / "0a1b" / "project"
    for folder in (traces, root / ".git", project):
        folder.mkdir(parents=True)
    plant(home, traces, root)

    ask(claude, refusing.url, home, project, "--setting-sources", "project")

    asked = "\n".join(refusing.bodies)
    assert PROJECT_TEXT in asked
    assert MEMORY_TEXT not in asked, "the user's one folder for all projects is a setting"
