"""The suite as data: what it says, read without the package being imported."""

import importlib.util
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from skilltrial.api import ACTS


@pytest.fixture(scope="session")
def folder():
    """The folder of the installed suite."""
    spec = importlib.util.find_spec("skilltrial_suite_organization")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(spec.submodule_search_locations[0])


@pytest.fixture(scope="session")
def suite(folder):
    return YAML(typ="safe", pure=True).load((folder / "suite.yaml").read_text("utf-8"))


@pytest.fixture(scope="session")
def skill(folder):
    """The text of the skill."""
    return (folder / "skills/class-placement/SKILL.md").read_text("utf-8")


@pytest.fixture(scope="session")
def acts():
    """`acts(rehearsal)`: its script as models. Raises where an act is not well-formed."""

    def read(rehearsal):
        return [ACTS[next(iter(act))].model_validate(act) for act in rehearsal["script"]]

    return read


@pytest.fixture
def play(folder, acts):
    """`play(case, rehearsal)`: the project as the script leaves it, and the paths that differ from the workspace."""

    def played(case, rehearsal):
        source = folder / case["workspace"]
        before = {path.relative_to(source).as_posix(): path.read_text("utf-8") for path in source.rglob("*.*")}
        files = dict(before)
        for act in acts(rehearsal):
            match act:
                case _ if (file := getattr(act, "write_file", None)) is not None:
                    files[file.path] = file.text
                case _ if (piece := getattr(act, "edit_file", None)) is not None:
                    assert files[piece.path].count(piece.old) == 1, (rehearsal["id"], piece.path)
                    files[piece.path] = files[piece.path].replace(piece.old, piece.new)
                case _ if (path := getattr(act, "read_file", None)) is not None:
                    assert path in files
                case _:
                    pass
        return files, {path for path in files if files[path] != before.get(path)}

    return played
