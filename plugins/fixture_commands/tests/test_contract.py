"""The contract of the fixture: doubles are called as an agent's commands would call them."""

from __future__ import annotations

import subprocess

import pytest

from skilltrial.testing.fixtures import FixtureContract, FixtureSubject
from skilltrial_fixture_commands.fixture import CommandsFixture

REPLIES = b"scripts: {plain: {state: {n: 0}, rules: [{program: git, begins: [tag], reply: {stdout: ok}}]}}"


def call(offer, arguments):
    # The kit's place is one folder, three levels above the programs: the call comes from there.
    project = offer.programs.parents[2]
    ran = subprocess.run(
        [offer.programs / "git", *arguments["argv"]],
        cwd=project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return ran.stdout


class TestFixture(FixtureContract):
    @pytest.fixture
    def subject(self) -> FixtureSubject:
        return FixtureSubject(
            CommandsFixture(programs=("git", "gh"), replies="replies.yaml"),
            assets={"replies.yaml": REPLIES},
            call=call,
            tool="git",
            arguments={"argv": ["tag", "v1"], "cwd": ".", "stdin": None},
            options={"script": "plain"},
            wrong_options={"script": "kit_unknown_script"},
        )
