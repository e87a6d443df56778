"""Somebody else's skill and catalog with a suite's cases: what the archive keeps of it, and what it qualifies."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from skilltrial.plugins.discovery import Discovery
from skilltrial_fixture_mcp.catalog import digest

Command = Callable[..., Any]
Lay = Callable[[Mapping[str, str]], None]

GUIDANCE = Discovery().suite_folder("guidance")
AGENT = ("--host", "portable", "--", "./agent.sh")
THEIRS = "---\nname: greeter\ndescription: x\n---\nTheirs.\n"
READS = "#!/bin/sh\ncat > /dev/null\ntail -1 .agents/skills/greeter/SKILL.md > greeting.txt 2>/dev/null\nexit 0\n"


@pytest.fixture(autouse=True)
def product(lay: Lay) -> None:
    lay({"product/greeter/SKILL.md": THEIRS})


def test_the_skill_that_was_given_is_tested_and_on_record(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path
) -> None:
    ran = skilltrial("run", greeter(READS), "--skill", "product/greeter", "--out", "run", "--format", "json", *AGENT)

    request = json.loads((tmp_path / "run/request.json").read_bytes())
    plan = json.loads((tmp_path / "run/plan.json").read_bytes())
    assert ran.code == 1, ran.err
    assert request["skills"] == {"greeter": plan["skills"][0]["sha256"]}
    changed = tmp_path / "run/trials/greet/with_skill/1/changed"
    assert [path.read_text() for path in changed.iterdir()] == ["Theirs.\n"]


def test_a_key_has_the_skill_that_was_given(skilltrial: Command, greeter: Callable[..., Path]) -> None:
    suite = greeter(READS)
    skilltrial("run", suite, "--out", "run", *AGENT)
    words = ("qualified", suite, "run", "--host", "portable", "--host-command", '["./agent.sh"]')

    assert "skill greeter: " not in skilltrial(*words).out
    assert "skill greeter: " in skilltrial(*words, "--skill", "product/greeter").out


def test_a_run_that_is_taken_up_has_its_skill(skilltrial: Command, greeter: Callable[..., Path]) -> None:
    skilltrial("run", greeter(READS), "--skill", "product/greeter", "--out", "run", "--max-sessions", "1", *AGENT)

    refused = skilltrial("run", "--resume", "run", "--skill", "product/greeter")
    taken_up = skilltrial("run", "--resume", "run")

    assert refused.code == 2
    assert "--skill can't be given with --resume" in refused.err
    assert taken_up.code == 1


def test_what_does_not_fit_is_refused_and_nothing_is_written(
    skilltrial: Command, greeter: Callable[..., Path], lay: Lay, tmp_path: Path
) -> None:
    lay({"product/greeter/SKILL.md": THEIRS.replace("greeter", "welcome")})

    refused = skilltrial(
        "run", greeter(), "--skill", "product/greeter", "--catalog", "ours.json", "--out", "run", *AGENT
    )

    assert refused.code == 2
    assert "in this suite the skill is called `greeter`" in refused.err
    assert "--catalog ours.json: the suite has no fixture with a catalog" in refused.err
    assert not (tmp_path / "run").exists()


def test_an_archive_is_never_written_into_the_skill_that_was_given(
    skilltrial: Command, greeter: Callable[..., Path]
) -> None:
    words = ("run", greeter(), "--skill", "product/greeter", "--out", "product/greeter/run")

    assert skilltrial(*words, *AGENT).code == 2


class TestCatalog:
    """With the cases of `guidance`, on a host that takes no MCP server: all is checked, nothing runs."""

    @pytest.fixture
    def catalog(self, tmp_path: Path) -> Callable[..., Path]:
        def make(*without: str, **values: Any) -> Path:
            own = json.loads((GUIDANCE / "catalog.json").read_bytes())
            own["tools"] = [tool for tool in own["tools"] if tool["name"] not in without]
            own["server"] = {"name": "product", "version": "2.0"}
            whole = {**own, **values}
            (tmp_path / "ours.json").write_text(json.dumps({**whole, "sha256": digest(whole)}))
            return tmp_path / "ours.json"

        return make

    def rehearse(self, skilltrial: Command, catalog: Path) -> Any:
        flags = ("--out", "run", "--host", "portable", "--", "skilltrial-agent")
        return skilltrial("rehearse", "guidance", "--catalog", catalog, *flags)

    def test_the_catalog_that_was_given_is_offered_and_on_record(
        self, skilltrial: Command, catalog: Callable[..., Path], tmp_path: Path
    ) -> None:
        file = catalog("query_code")

        ran = self.rehearse(skilltrial, file)

        assert ran.code == 3, ran.err
        offered = json.loads((tmp_path / "run/plan.json").read_bytes())["fixtures"]["powercontext"]
        assert offered["catalog"]["server"] == "product"
        assert "query_code" not in offered["tools"]
        assert set(json.loads((tmp_path / "run/request.json").read_bytes())["catalogs"]) == {"powercontext"}

    def test_a_fault_is_told_with_the_name_of_the_file_that_was_given(
        self, skilltrial: Command, catalog: Callable[..., Path]
    ) -> None:
        file = catalog()
        file.write_text(file.read_text().replace("2.0", "2.1"))

        refused = self.rehearse(skilltrial, file)

        assert refused.code == 2
        assert "ours.json:1:" in refused.err
        assert "catalog.json" not in refused.err

    def test_one_of_another_era_is_refused_by_name(self, skilltrial: Command, catalog: Callable[..., Path]) -> None:
        refused = self.rehearse(skilltrial, catalog("list_atomic_memories", "publish_artifact"))

        assert refused.code == 2
        assert refused.err.splitlines() == [
            "error: unsupported_memory_contract: fixture 'powercontext' does not offer list_atomic_memories",
            "incomplete_tool_catalog: fixture 'powercontext' does not offer publish_artifact",
        ]
