"""The pin of a skill: written, checked, kept in the archive, and held against it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

Lay = Callable[[Mapping[str, str]], None]
RUN = ("--host", "portable", "--records", "events", "--", "./agent.sh")


class TestPin:
    def test_it_is_written_beside_the_suite_and_checked(self, project: Any) -> None:
        checked = project.skilltrial("pin", "suite.yaml", "--check")

        assert checked.code == 0
        assert checked.out == f"greeter: 1 file, pinned at {project.git('rev-parse', 'HEAD~1')}\n"

    def test_every_fault_is_told_at_once_and_nothing_is_written(self, project: Any, lay: Lay) -> None:
        before = (project.root / "skilltrial.lock").read_bytes()
        lay({"greeter/SKILL.md": "---\nname: greeter\ndescription: x\n---\n", "greeter/more.md": "x"})

        for flags in (("--check",), (), ("--revision", "HEAD")):
            refused = project.skilltrial("pin", "suite.yaml", *flags)

            assert (refused.code, refused.out) == (2, "")
            assert "SKILL.md was changed" in refused.err
            assert "more.md was added" in refused.err
        assert (project.root / "skilltrial.lock").read_bytes() == before

    def test_check_and_revision_exclude_each_other(self, project: Any) -> None:
        assert project.skilltrial("pin", "suite.yaml", "--check", "--revision", "HEAD").code == 2

    def test_the_archive_holds_the_pin_and_what_was_found_of_it(self, project: Any) -> None:
        root = project.root / "run"

        pins = json.loads((root / "provenance.json").read_bytes())["pins"]
        assert pins == [
            {"skill": "greeter", "state": "pinned", "commit": project.git("rev-parse", "HEAD~1"), "faults": []}
        ]
        assert (root / "inputs/skilltrial.lock").read_bytes() == (project.root / "skilltrial.lock").read_bytes()

    def test_a_changed_skill_runs_and_the_report_says_what_that_costs(self, project: Any, lay: Lay) -> None:
        lay({"greeter/SKILL.md": "---\nname: greeter\ndescription: x\n---\nWrite.\n"})

        ran = project.skilltrial("run", "suite.yaml", "--out", "run-2", "--format", "json", *RUN)

        assert ran.code == 0, ran.err
        assert "The skill greeter was not what its pin says: this run qualifies nothing." in ran.report["limitations"]

    def test_an_archive_whose_skill_is_not_what_its_own_pin_says_is_refused(self, project: Any) -> None:
        root = project.root / "run"
        project.alter(
            root,
            "inputs/skilltrial.lock",
            lambda lock: lock["skills"]["greeter"]["files"].update({"SKILL.md": "0" * 64}),
        )

        refused = project.skilltrial("grade", root)

        assert refused.code == 4
        assert "archived_skill_pin_mismatch" in refused.err
        assert "SKILL.md was changed" in refused.err
