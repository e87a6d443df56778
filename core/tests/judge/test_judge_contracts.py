"""An archive whose fixtures offered less than the suite's cases need is refused by name, never reinterpreted."""

from __future__ import annotations

import pytest

from skilltrial.model.errors import ArchiveUnsupported
from skilltrial.model.trial import FixtureIdentity

NEEDED = {"old_contract": ["list_notes", "read_note"], "no_search": ["search"]}


def offering(world, *tools: str):
    world.fixtures = ("memory",)
    world.contract = NEEDED
    world.plan = {"fixtures": {"memory": FixtureIdentity(tools=tools)}}
    return world


def test_what_was_offered_is_all_that_is_needed(world):
    assert offering(world, "search", "read_note", "list_notes", "more").grade()


def test_a_tool_that_is_missing_is_named_with_the_code_of_its_contract(world):
    with pytest.raises(ArchiveUnsupported, match=r"^old_contract: fixture 'memory' does not offer list_notes$"):
        offering(world, "search", "read_note").grade()


def test_every_code_is_told_at_once(world):
    with pytest.raises(ArchiveUnsupported) as refused:
        offering(world).grade()

    assert {line.partition(":")[0] for line in str(refused.value).splitlines()} == set(NEEDED)


def test_an_archive_that_does_not_say_what_was_offered_offered_nothing(world):
    offering(world, "search", "read_note", "list_notes")
    world.plan = {}

    with pytest.raises(ArchiveUnsupported, match="old_contract"):
        world.grade()
