"""A plugin that the program is to install: laid into its store, told to it, and what its session log shows of it."""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from skilltrial.api import (
    FoundServer,
    ModelEndpoint,
    Offer,
    Offered,
    PlacedPlugin,
    PluginFound,
    PluginPlaced,
    SkillPlaced,
    SkillStep,
    Source,
    Step,
)
from skilltrial_host_codex.config import config
from skilltrial_host_codex.plugin import install
from skilltrial_host_codex.session import command

MEMORY = Offer("memory", url="http://127.0.0.1:1/run/abc/mcp", tools=("save",))
ORDERS = Offer("orders", command=("server",))
ENDPOINT = ModelEndpoint(url="http://127.0.0.1:1/x", model="scripted-1", key="dummy")
ENTRY = '{"mcpServers": {"memory": {"url": "${ATLAS_URL}/mcp", "note": "${OTHER}", "or": "${ATLAS_URL:-https://x.example}"}}}'


@pytest.fixture
def plugin(place: Any) -> PlacedPlugin:
    folder = place.project.parent / "plugins/local/atlas/1.0.0"
    folder.mkdir(parents=True)
    (folder / ".mcp.json").write_text(ENTRY, "utf-8")
    return PlacedPlugin("atlas", "1.0.0", folder, servers=("memory",))


def test_its_store_is_where_the_plugin_lies(place: Any, plugin: PlacedPlugin) -> None:
    install(plugin, place.home, {"ATLAS_URL": "http://127.0.0.1:1/run/abc"})

    assert (place.home / "plugins/cache/local/atlas/1.0.0").samefile(plugin.folder)


def test_addresses_are_filled_into_its_entries_where_they_are_known(place: Any, plugin: PlacedPlugin) -> None:
    """The program expands no variables there."""
    install(plugin, place.home, {"ATLAS_URL": "http://127.0.0.1:1/run/abc"})

    assert json.loads((plugin.folder / ".mcp.json").read_text("utf-8"))["mcpServers"]["memory"] == {
        "url": "http://127.0.0.1:1/run/abc/mcp",
        "note": "${OTHER}",
        "or": "http://127.0.0.1:1/run/abc",
    }


def test_the_list_of_plugins_on_the_network_is_not_asked_for(place: Any, plugin: PlacedPlugin) -> None:
    install(plugin, place.home, {})

    assert (place.home / ".tmp/plugins.sync.lock").is_dir()


@pytest.mark.parametrize("with_it", [True, False])
def test_the_configuration_names_it_and_only_the_other_servers(plugin: PlacedPlugin, with_it: bool) -> None:
    told = tomllib.loads(
        config(
            model="m",
            effort=None,
            sandbox="workspace-write",
            endpoint=ENDPOINT,
            offers=(MEMORY, ORDERS),
            plugin=plugin if with_it else None,
        )
    )

    assert told["features"]["plugins"] is with_it
    assert told["features"]["remote_plugin"] is False
    assert told["mcp_servers"].keys() == ({"orders"} if with_it else {"memory", "orders"})
    entry = {"enabled": True, "mcp_servers": {"memory": {"default_tools_approval_mode": "approve"}}}
    assert told.get("plugins") == ({"atlas@local": entry} if with_it else None)


def test_its_hooks_run_although_nobody_was_there_to_trust_them(place: Any, plugin: PlacedPlugin) -> None:
    with_it = replace(place, plugin=plugin)

    for thread in (None, "thread-1"):
        assert "--dangerously-bypass-hook-trust" in command(Path("codex"), with_it, {}, thread, "Hello").argv
        assert "--dangerously-bypass-hook-trust" not in command(Path("codex"), place, {}, thread, "Hello").argv


FOLDER = "../plugins/local/atlas/1.0.0/skills/tidy"
BODY = "---\nname: tidy\ndescription: Keeps things tidy.\n---\n\n# Tidy\n\nPut each thing in its place.\n"
LIST = (
    "<skills_instructions>\n### Skill roots\n- `r0` = `/place/plugins/local/atlas/1.0.0/skills`\n### Available skills\n"
    "- atlas:tidy: Keeps things tidy. (file: r0/tidy/SKILL.md)\n</skills_instructions>"
)


@pytest.fixture
def told(tape: Any, normalize: Any) -> Any:
    """The events of a session whose log has these developer texts in turn 1, and says which plugins are off."""

    def tell(*texts: str, off: Any = (), rows: Any = (), plugin: bool = True) -> Any:
        digest = hashlib.sha256(BODY.encode()).hexdigest()
        tape.note(SkillPlaced(skill="tidy", path=FOLDER, sha256="0" * 64, body_sha256=digest))
        if plugin:
            path, servers = "../plugins/local/atlas/1.0.0", ("memory",)
            tape.note(PluginPlaced(plugin="atlas", path=path, sha256="0" * 64, files={}, servers=servers))
        meta = {"id": "t1", "cwd": "/place/project", "cli_version": "0.171.0"}
        said = [
            (
                "response_item",
                {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": one}]},
            )
            for one in texts
        ]
        context = {"turn_id": "u", "model": "m", **({} if off is None else {"disabled_plugin_ids": list(off)})}
        for turn, found in (
            (1, [("session_meta", meta), *said, ("turn_context", context), *rows]),
            (2, [("turn_context", context)]),
        ):
            tape.turn = turn
            for kind, payload in found:
                tape.add(Source.SESSION_LOG, json.dumps({"type": kind, "payload": payload}))
        return normalize(tape.records)

    return tell


def of(events: Any, kind: type) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


def test_what_the_log_shows_of_it_is_told_in_each_turn(told: Any) -> None:
    events = told(LIST)

    found = of(events, PluginFound)
    assert [one.turn for one in found] == [1, 2]
    assert {(one.plugin, one.enabled, one.skills, one.servers, one.faults) for one in found} == {
        ("atlas", True, ("tidy",), (FoundServer("memory"),), 0)
    }
    assert of(events, Offered)[0].skills == ("atlas:tidy",)
    assert [(step.skill, step.step) for step in of(events, SkillStep)] == [("tidy", Step.OFFERED)]


@pytest.mark.parametrize(
    ("texts", "off", "enabled"),
    [
        ((), (), None),
        (("<plugins_instructions>\n## Plugins\n</plugins_instructions>",), (), True),
        ((LIST.replace("atlas:tidy", "tidy"),), (), None),
        ((LIST.replace("atlas:tidy", "other:tidy"),), (), None),
        ((LIST,), ("other@local",), True),
        ((LIST,), ("atlas@local",), False),
    ],
)
def test_whether_it_is_on_is_told_or_not(told: Any, texts: Any, off: Any, enabled: bool | None) -> None:
    assert {one.enabled for one in of(told(*texts, off=off), PluginFound)} == {enabled}


def test_without_a_plugin_and_without_a_word_of_any_nothing_is_found(told: Any) -> None:
    assert of(told(LIST, plugin=False), PluginFound) == []


def test_a_log_that_does_not_say_what_is_off_shows_nothing(told: Any) -> None:
    assert of(told(LIST, off=None), PluginFound) == []


READERS = [
    "cat /place/plugins/local/atlas/1.0.0/skills/tidy/SKILL.md",
    "cat .agents/skills/tidy/SKILL.md || cat ../plugins/*/*/*/skills/tidy/SKILL.md",
    "cat /place/plugins/*/*/*/skills/tidy/SKILL.md",
]


def read_rows(script: str, printed: str) -> list[tuple[str, dict[str, Any]]]:
    """The rows of a command that printed this."""
    shell = ["/bin/bash", "-lc", script]
    item = {"type": "CommandExecution", "id": "c1", "command": shell, "cwd": "file:///place/project"}
    return [
        (
            "response_item",
            {
                "type": "function_call",
                "call_id": "c1",
                "name": "exec_command",
                "arguments": json.dumps({"cmd": script}),
            },
        ),
        (
            "event_msg",
            {
                "type": "item_completed",
                "item": {**item, "aggregated_output": printed, "exit_code": 0, "status": "completed"},
            },
        ),
        ("response_item", {"type": "function_call_output", "call_id": "c1", "output": printed}),
    ]


@pytest.mark.parametrize("script", READERS)
def test_its_skill_is_read_where_it_lies(told: Any, script: str) -> None:
    rows = read_rows(script, BODY)

    assert [step.step for step in of(told(rows=rows), SkillStep)] == [Step.REQUESTED, Step.READ]


@pytest.mark.parametrize("script", READERS)
def test_other_words_are_not_that_skill(told: Any, script: str) -> None:
    """A whole file was printed, and its digest is another one."""
    rows = read_rows(script, BODY.replace("Put each thing", "Take each thing"))

    assert [step.step for step in of(told(rows=rows), SkillStep)] == [Step.REQUESTED]
