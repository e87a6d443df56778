"""A missing part's error gives the command that fits the way in which this copy was installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from skilltrial.model.errors import PluginNotFound
from skilltrial.plugins import installing
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.installing import install_command
from skilltrial.plugins.kinds import HOST


@pytest.fixture
def prefix(tmp_path: Path) -> Path:
    folder = tmp_path / "skilltrial"
    folder.mkdir()
    return folder


def test_pip(prefix: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installing, "_installer", lambda: "pip")

    assert install_command("skilltrial-all", prefix) == f"{sys.executable} -m pip install skilltrial-all"


def test_pipx(prefix: Path) -> None:
    (prefix / "pipx_metadata.json").write_text("{}")

    assert install_command("skilltrial-host-codex", prefix) == "pipx inject skilltrial skilltrial-host-codex"


@pytest.mark.parametrize(
    ("receipt", "command"),
    [
        ("", "uv tool install skilltrial --with skilltrial-all"),
        ("[tool]\nrequirements = 3\n", "uv tool install skilltrial --with skilltrial-all"),
        (
            '[tool]\nrequirements = [{name = "skilltrial"}, {name = "skilltrial-host-codex"}]\n',
            "uv tool install skilltrial --with skilltrial-host-codex --with skilltrial-all",
        ),
    ],
)
def test_a_tool_of_uv_keeps_what_was_added_before(prefix: Path, receipt: str, command: str) -> None:
    (prefix / "uv-receipt.toml").write_text(receipt)

    assert install_command("skilltrial-all", prefix) == command


def test_an_environment_of_uv_without_pip(prefix: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installing, "_installer", lambda: "uv")
    monkeypatch.setattr(installing, "find_spec", lambda name: None)

    assert install_command("skilltrial-all", prefix) == f"uv pip install --python {prefix} skilltrial-all"


@pytest.mark.parametrize("name", ["codex", "x; rm -rf ~", "codx"])
def test_the_error_of_a_missing_part_says_it_and_makes_no_package_of_a_slip(name: str) -> None:
    with pytest.raises(PluginNotFound) as error:
        Discovery(()).find(HOST, name)

    assert str(error.value).endswith(f"come with: {install_command('skilltrial-all')}")
