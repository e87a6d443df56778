"""The reference says all that there is: hooks, events, capabilities, errors, exit codes and commands."""

from __future__ import annotations

import re

import pytest

import reference
from skilltrial.cli.commands import COMMANDS
from skilltrial.model.capabilities import Can, Sees
from skilltrial.model.errors import Exit
from skilltrial.model.events import EVENTS
from skilltrial.plugins import hookspecs
from skilltrial.plugins.binding import public_methods
from skilltrial.plugins.kinds import COMMAND, KINDS, SUITE


def test_nothing_is_without_its_text() -> None:
    """A hook says when it is called, and what it must or must not do."""
    assert reference.undocumented() == []


def test_the_pages_are_what_the_code_says() -> None:
    assert reference.main([]) == 0


def test_every_hook_of_every_kind_has_its_place() -> None:
    page = reference.pages()["hooks.md"]

    for kind in KINDS:
        if kind in (SUITE, COMMAND):
            continue
        spec = getattr(hookspecs, f"{kind.name.capitalize()}Spec")
        assert f"\n## {kind}\n" in page
        assert f"`skilltrial.{kind}s.v1`" in page
        assert f"### Example: {kind}\n\n```python\n" in page
        for hook in public_methods(spec):
            place = page.partition(f"\n### {kind}.{hook}\n")[2].partition("\n##")[0]
            assert f"def {hook}(" in place, f"{kind}.{hook} has no signature"
            assert re.search(r"^Called ", place, re.M), f"{kind}.{hook} does not say when it is called"


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("events.md", [event.__name__ for event in EVENTS]),
        ("capabilities.md", [f"{type(one).__name__}.{one.name}" for one in (*Can, *Sees)]),
        ("exit-codes.md", [str(int(code)) for code in Exit]),
        ("commands.md", list(COMMANDS)),
        ("errors.md", ["SkilltrialError", "InvalidRequest", "PluginNotFound", "ArchiveRefused", "ActAbsent"]),
    ],
)
def test_everything_that_there_is_has_a_heading(page: str, names: list[str]) -> None:
    headings = re.findall(r"^## (.+)$", reference.pages()[page], re.M)

    assert set(names) <= set(headings)


def test_a_thing_without_a_text_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or the tests above would hold of nothing."""
    monkeypatch.setattr(hookspecs.HostSpec.place_skill, "__doc__", "Say where.")
    monkeypatch.setattr(EVENTS[0], "__doc__", "")

    assert reference.undocumented() == ["SessionStarted", "host.place_skill: Called", "host.place_skill: Must"]
