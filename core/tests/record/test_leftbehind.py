"""What a killed runner leaves is ended and removed by the next one; what lives is left alone."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from skilltrial.record.programs.leftbehind import clean_up, register
from skilltrial.record.workspace import make_folders, name_folders

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found by /proc")

HOLDER = """
import sys, time
from pathlib import Path
from skilltrial.record.programs.leftbehind import register
with register(Path(sys.argv[1])) as places:
    for place in sys.argv[2:]:
        places.begin(Path(place))
    print("ready", flush=True)
    time.sleep(60)
"""


def holder(state: Path, *places: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(state), *map(str, places)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def sleeper(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sleep", "60"], cwd=folder, start_new_session=True)


def test_places_and_agents_of_a_killed_runner_are_gone_after_the_next_start(tmp_path: Path) -> None:
    state = tmp_path / "state"
    folders = make_folders(name_folders(tmp_path))
    (folders.home / "auth.json").write_text("a copy of a login")
    runner, agent = holder(state, folders.root), sleeper(folders.project)
    runner.kill()
    runner.communicate()

    with register(state):
        pass

    assert agent.wait(timeout=5) < 0
    assert not folders.root.exists()
    assert list(state.iterdir()) == []


def test_places_of_a_runner_that_lives_are_left_alone(tmp_path: Path) -> None:
    state = tmp_path / "state"
    folders = make_folders(name_folders(tmp_path))
    runner, agent = holder(state, folders.root), sleeper(folders.project)
    try:
        assert clean_up(state) == 0
        time.sleep(0.1)
        assert agent.poll() is None
        assert folders.root.is_dir()
    finally:
        for process in (runner, agent):
            process.kill()
            process.communicate()


@pytest.mark.parametrize("name", ["documents", "0123456789AB", "0123456789abcd"])
def test_only_folders_that_look_like_places_are_removed(tmp_path: Path, name: str) -> None:
    state = tmp_path / "state"
    state.mkdir()
    precious = tmp_path / name
    precious.mkdir()
    (state / "1-x.jsonl").write_text(json.dumps({"place": str(precious)}) + "\n")

    assert clean_up(state) == 0

    assert precious.is_dir()


def test_a_link_that_looks_like_a_place_is_not_followed(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    precious = tmp_path / "precious"
    precious.mkdir()
    (tmp_path / "0123456789ab").symlink_to(precious)
    (state / "1-x.jsonl").write_text(json.dumps({"place": str(tmp_path / "0123456789ab")}) + "\n")

    clean_up(state)

    assert precious.is_dir()


@pytest.mark.parametrize(
    "text", ["", "\n\n", "no json\n", "[1]\n", '{"place": 3}\n', '{"place": "/nowhere/0123456789ab"}']
)
def test_damaged_files_harm_nothing(tmp_path: Path, text: str) -> None:
    state = tmp_path / "state"
    state.mkdir()
    (state / "1-x.jsonl").write_text(text)

    assert clean_up(state) == 0


def test_a_state_folder_that_cannot_be_made_is_no_reason_not_to_run(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file is in the way")

    with register(tmp_path / "state") as places:
        places.begin(tmp_path / "0123456789ab")

    assert (tmp_path / "state").is_file()
