"""A suite's plugin as each arm has it, what is wrong with one, and which way it goes on a host."""

from __future__ import annotations

import json
from typing import Any

import pytest

from skilltrial.archive.trees import Tree
from skilltrial.model.capabilities import Can
from skilltrial.model.errors import InvalidRequest
from skilltrial.model.packaged import Delivery
from skilltrial.model.suite import Run, Say, Suite
from skilltrial.model.trial import HostIdentity, Offer, Place, PlacedPlugin, Script
from skilltrial.record.delivering import deliver
from skilltrial.record.gathering import prepared
from skilltrial.record.packaging import Packager
from skilltrial.record.parts import Parts
from skilltrial.record.plugging import acted, allowed, placed, plugin_note, with_variables
from skilltrial.record.preparing import Sources
from skilltrial.record.workspace import make_folders, name_folders

MANIFEST = ".claude-plugin/plugin.json"
BODY = "---\nname: notes\ndescription: Notes.\n---\nBODY\n"
PLUGIN = {
    MANIFEST: '{"name": "atlas", "version": "1.2.0",\n "skills": "./skills/"}\n',
    ".mcp.json": '{"mcpServers": {"memory": {"type": "http", "url": "${ATLAS_URL}/mcp"}}}',
    "hooks/hooks.json": "{}",
    "skills/notes/SKILL.md": BODY,
    "skills/notes/references/more.md": "more",
}
SOURCE = {"folder": "plugin", "variables": {"ATLAS_URL": "memory"}}


def suite(plugin: dict[str, Any] | None = None, folder: str = "plugin/skills/notes") -> Suite:
    return Suite.read(
        json.dumps(
            {
                "id": "tests",
                "skills": [{"id": "notes", "folder": folder}],
                "plugin": SOURCE if plugin is None else plugin,
                "arms": [{"id": "without_skill"}, {"id": "with_skill", "skills": ["notes"]}],
                "gate": {"arm": "with_skill"},
                "fixtures": {"memory": {"use": "fake"}},
                "cases": [{"id": "one", "turns": ["Do it"], "observe": True}],
            }
        )
    )


def packager(files: dict[str, str] | None = None, **more: Any) -> Packager:
    return Packager(suite(**more), Tree.of_texts(PLUGIN if files is None else files))


SKILLS = {"notes": prepared("notes", "notes", Tree.of_texts({"SKILL.md": BODY, "references/more.md": "more"}))}


def files(packager: Packager, arm: str) -> dict[str, str]:
    tree = packager.of(arm, SKILLS).tree
    return {one.path: (tree.data(one.path) or b"").decode() for one in tree.entries if one.sha256}


def test_the_arm_with_the_skill_has_the_plugin_to_the_letter() -> None:
    package = packager().of("with_skill", SKILLS)

    assert files(packager(), "with_skill") == PLUGIN
    assert (package.name, package.version, package.servers) == ("atlas", "1.2.0", ("memory",))
    assert (dict(package.skills), package.skill_names) == ({"notes": "skills/notes"}, ("notes",))


def test_the_arm_without_it_has_the_rest_and_no_entry_of_it() -> None:
    found = files(packager(), "without_skill")

    assert found.keys() == {MANIFEST, ".mcp.json", "hooks/hooks.json"}
    assert json.loads(found[MANIFEST]) == {"name": "atlas", "version": "1.2.0"}
    assert found[".mcp.json"] == PLUGIN[".mcp.json"]
    assert "skills" not in {one.path for one in packager().of("without_skill", SKILLS).tree.entries}


def test_skills_that_are_not_the_suites_stay_with_their_entries() -> None:
    more = {**PLUGIN, "own/other/SKILL.md": BODY, MANIFEST: '{"name": "atlas", "skills": ["./skills/", "./own/"]}'}
    package = packager(more).of("without_skill", SKILLS)

    assert json.loads(files(packager(more), "without_skill")[MANIFEST])["skills"] == ["./own/"]
    assert (dict(package.skills), package.skill_names) == ({}, ("other",))


@pytest.mark.parametrize(
    ("folder", "inside"),
    [("plugin/own/notes", "own/notes"), ("skills/notes", "skills/notes"), ("other", "skills/notes")],
)
def test_a_skill_lies_where_the_plugin_has_it_or_where_programs_look_for_it(folder: str, inside: str) -> None:
    package = packager({MANIFEST: '{"name": "atlas"}'}, folder=folder).of("with_skill", SKILLS)

    assert dict(package.skills) == {"notes": inside}
    assert package.tree.data(f"{inside}/SKILL.md") == BODY.encode()
    assert package.version == "0.0.0"


def test_a_file_in_the_way_of_a_skill_is_an_error() -> None:
    with pytest.raises(InvalidRequest, match="skills in the way of skill 'notes'"):
        packager({MANIFEST: '{"name": "atlas"}', "skills": "x"}).of("with_skill", SKILLS)


def test_servers_are_those_of_every_place_where_a_plugin_names_some() -> None:
    found = packager(
        {
            ".claude-plugin/plugin.json": '{"name": "atlas", "mcpServers": {"one": {}}}',
            ".codex-plugin/plugin.json": '{"name": "atlas", "mcpServers": "./servers.json"}',
            "servers.json": '{"two": {}}',
            ".mcp.json": '{"mcpServers": {"three": {}}}',
        }
    )

    assert set(found.servers) == {"one", "two", "three"}


def test_every_fault_of_a_plugin_is_told_at_once() -> None:
    broken = packager(
        {
            ".claude-plugin/plugin.json": '{"name": "Atlas"}',
            ".codex-plugin/plugin.json": "no json",
            ".zcode-plugin/plugin.json": '{"name": "atlas"}',
            ".mcp.json": '{"mcpServers": {"orders": {}, "memory": {}}}',
        }
    )

    assert [fault.partition(": ")[2] for fault in broken.faults({"memory": False})] == [
        ".codex-plugin/plugin.json is no JSON object",
        "`name` of .claude-plugin/plugin.json must be small letters, digits, `.`, `_` and `-`, with no `-` first",
        "its manifests have different names: Atlas, atlas",
        "its MCP server 'orders' is none of the suite's fixtures, and a trial reaches no other; name a fixture like it",
        "its MCP server 'memory' is a fixture without an address; serve it over HTTP",
        "variable ATLAS_URL names 'memory', a fixture without an address",
    ]
    assert "it has no manifest" in next(packager({".mcp.json": "[]"}).faults({"memory": True}))
    assert list(packager().faults({"memory": True})) == []


class Fixture:
    def fixture_needs(self) -> frozenset[Can]:
        return frozenset({Can.MCP_HTTP})


def parts(*can: Can) -> Parts:
    identity = HostIdentity(name="fake", records="fake", can=frozenset(can))
    return Parts(None, identity, None, None, None, {"memory": Fixture()}, ())  # type: ignore[arg-type, dict-item]


def delivered(source: dict[str, Any] | None, asked: Delivery | None, *can: Can) -> Any:
    asks = suite(source) if source is not None else suite().model_copy(update={"plugin": None})
    return deliver(asks, parts(*can), Sources({}, SKILLS, {}, Tree.of_texts(PLUGIN) if source else None), asked)


@pytest.mark.parametrize(
    ("own", "asked", "can", "way"),
    [
        ("plugin", None, (Can.PLUGINS,), "plugin"),
        ("plugin", None, (), "folder"),
        ("folder", None, (Can.PLUGINS,), "folder"),
        ("folder", "plugin", (Can.PLUGINS,), "plugin"),
        ("plugin", "folder", (Can.PLUGINS,), "folder"),
        ("plugin", "folder", (), "folder"),
    ],
)
def test_which_way_is_taken(own: str, asked: str | None, can: tuple[Can, ...], way: str) -> None:
    found = delivered({**SOURCE, "delivery": own}, Delivery(asked) if asked else None, *can)

    assert found.identity.delivery.value == way
    assert (found.packages is not None) is (way == "plugin")
    assert found.identity.skills == {"without_skill": (), "with_skill": ("notes",)}
    assert len(set(found.identity.arms.values())) == 2


def test_what_was_asked_for_must_be_possible() -> None:
    with pytest.raises(InvalidRequest, match="host 'fake' installs no plugins; --delivery folder"):
        delivered(SOURCE, Delivery.PLUGIN)
    with pytest.raises(InvalidRequest, match="the suite brings no plugin"):
        delivered(None, Delivery.FOLDER, Can.PLUGINS)
    assert delivered(None, None, Can.PLUGINS) is None


def test_programs_of_hooks_are_looked_for_before_anything_starts() -> None:
    needy = {**SOURCE, "programs": ["sh", "no-such-program", "nor-this"]}

    with pytest.raises(InvalidRequest, match=r"need no-such-program, nor-this on PATH.*--delivery folder"):
        delivered(needy, Delivery.PLUGIN, Can.PLUGINS)
    assert delivered(needy, Delivery.FOLDER, Can.PLUGINS).packages is None


def test_it_is_laid_beside_the_project_and_read_back(tmp_path: Any) -> None:
    folders = make_folders(name_folders(tmp_path))
    package = packager().of("with_skill", SKILLS)

    plugin = placed(package, folders)

    assert plugin is not None
    note = plugin_note(plugin, folders)
    assert (note.plugin, note.path, note.servers) == ("atlas", "../plugins/local/atlas/1.2.0", ("memory",))
    assert note.sha256 == package.tree.digest()
    assert note.files.keys() == PLUGIN.keys()
    (plugin.folder / "hooks/hooks.json").write_text('{"x": 1}', "utf-8")
    assert plugin_note(plugin, folders).sha256 != note.sha256
    assert placed(None, folders) is None


def test_manifests_are_told_without_the_list_in_which_arms_differ(tmp_path: Any) -> None:
    notes = []
    for arm in ("with_skill", "without_skill"):
        folders = make_folders(name_folders(tmp_path))
        plugin = placed(packager().of(arm, SKILLS), folders)
        assert plugin is not None
        notes.append(plugin_note(plugin, folders))

    assert notes[0].files[MANIFEST] == notes[1].files[MANIFEST]
    assert notes[0].sha256 != notes[1].sha256


@pytest.fixture
def place(tmp_path: Any) -> Any:
    launcher: Any = None
    return lambda plugin: Place(tmp_path, tmp_path, tmp_path, {"PATH": "/bin"}, launcher, plugin=plugin)


def test_addresses_reach_the_plugin_by_variables(place: Any, tmp_path: Any) -> None:
    source = suite({**SOURCE, "variables": {"ATLAS_URL": "memory", "ATLAS_READY": "memory/health/ready"}}).plugin
    offers = (Offer("memory", url="http://127.0.0.1:4711/run/abc/mcp"), Offer("tools", programs=tmp_path))

    found = with_variables(place(PlacedPlugin("atlas", "1", tmp_path)), source, offers).environment

    assert (found["ATLAS_URL"], found["ATLAS_READY"]) == (
        "http://127.0.0.1:4711/run/abc",
        "http://127.0.0.1:4711/run/abc/health/ready",
    )
    assert "ATLAS_URL" not in with_variables(place(None), source, offers).environment
    assert (
        "ATLAS_URL" not in with_variables(place(PlacedPlugin("atlas", "1", tmp_path)), source, offers[1:]).environment
    )


def test_rules_about_the_plugin_are_for_trials_that_have_it(tmp_path: Any) -> None:
    rules = ("Bash(git *)", "Bash({plugin}/scripts/scope resolve:*)")

    assert allowed(rules, None) == ("Bash(git *)",)
    assert allowed(rules, PlacedPlugin("atlas", "1", tmp_path))[1] == f"Bash({tmp_path}/scripts/scope resolve:*)"


def test_a_scripts_commands_name_its_folder_in_the_same_way(tmp_path: Any) -> None:
    script = Script(((Run(run="sh {plugin}/x"), Say(say="{plugin}")),))

    assert acted(script, PlacedPlugin("atlas", "1", tmp_path)).turns == (
        (Run(run=f"sh {tmp_path}/x"), script.turns[0][1]),
    )
    assert acted(script, None) is script
