"""A suite's plugin as it is written: what of it can't be, with its place, before anything runs."""

from __future__ import annotations

from typing import Any

import pytest

from skilltrial.model.errors import DocumentInvalid
from skilltrial.record.linting import lint
from skilltrial.record.loading import expanded

CASES = "skills: [{id: commit-style, folder: commit-style}]\ncases: {one: {prompt: Go., observe: true}}\n"


@pytest.fixture
def plugin(project: Any) -> Any:
    folder = project.root / "plug"
    (folder / ".claude-plugin").mkdir(parents=True)
    (folder / ".claude-plugin/plugin.json").write_text('{"name": "atlas"}', "utf-8")
    return folder


def faults(project: Any, text: str) -> list[str]:
    with pytest.raises(DocumentInvalid) as raised:
        project.load(CASES + text)
    return [str(fault).partition(": ")[2] for fault in raised.value.faults]


def test_its_defaults_are_written_out(project: Any, plugin: Any) -> None:
    suite = project.load(CASES + "plugin: {folder: plug}\n").suite

    assert suite.plugin.model_dump(mode="json") == {
        "folder": "plug",
        "delivery": "plugin",
        "variables": {},
        "programs": [],
    }
    assert project.load(CASES).suite.plugin is None


def test_the_long_form_reads_again_to_the_same_plugin(project: Any, plugin: Any) -> None:
    loaded = project.load(CASES + "plugin: {folder: plug, delivery: folder, programs: [sh]}\n")

    assert project.load(expanded(loaded)).suite.plugin == loaded.suite.plugin


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("plugin: {folder: nowhere}\n", "the plugin's folder does not exist"),
        ("plugin: {folder: ../plug}\n", "the path holds `..`"),
        ("plugin: {path: plug}\n", "`folder` is missing in the plugin"),
        ("plugin: {folder: plug, delivery: mail}\n", "unknown word `mail` in `delivery`; known: plugin, folder"),
        ("plugin: {folder: plug, variables: {ATLAS_URL: memory}}\n", "the variable names an unknown fixture `memory`"),
        ("plugin: {folder: plug, variables: {AT-LAS: memory}}\n", "this is no name of an environment variable"),
        ("plugin: {folder: plug, programs: [bin/sh]}\n", "this is no name of a program on PATH"),
        ("plugin: {folder: plug, env: {A: b}}\n", "unknown key `env` in the plugin; that is `variables` here"),
    ],
)
def test_what_is_written_wrongly_is_told_with_its_place(project: Any, plugin: Any, text: str, told: str) -> None:
    assert any(told in fault for fault in faults(project, text)), faults(project, text)


def test_a_link_in_it_is_a_fault(project: Any, plugin: Any) -> None:
    """Programs follow none when they look through a plugin."""
    (plugin / "link").symlink_to(".claude-plugin")

    assert any("the plugin holds a link (link)" in fault for fault in faults(project, "plugin: {folder: plug}\n"))


def test_lint_tells_the_faults_of_what_is_in_it(project: Any, plugin: Any) -> None:
    (plugin / ".mcp.json").write_text('{"mcpServers": {"orders": {}}}', "utf-8")
    loaded = project.load(CASES + "plugin: {folder: plug}\n")

    (remark,) = (one for one in lint(loaded, project.graders, project.fixtures) if "plugin" in one.text)

    assert remark.fault
    assert (remark.line, "its MCP server 'orders' is none of the suite's fixtures" in remark.text) == (3, True)
