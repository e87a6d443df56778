"""The imports of all members point down, and the reader of imports that says so can also say no."""

from pathlib import Path

import pytest

from architecture import Violation, violations


def test_every_import_of_the_workspace_is_allowed():
    found = violations()

    assert not found, "\n" + "\n".join(map(str, found))


class Tree:
    """A small workspace with a core, a host and a grader that break no rule, to break one at a time."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.member("core", "skilltrial", "")
        self.member("host_echo", "skilltrial-host-echo", '[project.entry-points."skilltrial.hosts.v1"]\necho = "x:Y"')
        self.member("plugins/grader_words", "skilltrial-grader-words", "")
        for package in ("model", "plugins", "archive", "record", "judge", "cli"):
            self.core(f"{package}/__init__.py", "")
        self.core("record/process.py", "from skilltrial.archive import seal\nfrom ..model import words")
        self.core("process.py", "from skilltrial.record.programs.process import run")
        self.core("api.py", "from .model import words")
        self.core("rehearsal.py", "import skilltrial.record\nimport skilltrial.judge")
        self.core("cli/main.py", "from skilltrial import __version__, rehearsal\nimport click, ruamel.yaml, json")
        self.host("host.py", "import skilltrial.api\nfrom skilltrial.process import run\nfrom . import other")
        self.grader("grader.py", "from skilltrial.api import Check")
        self.write("host_echo/tests/test_it.py", "import pytest\nfrom skilltrial.testing import contracts")

    def member(self, folder: str, distribution: str, more: str) -> None:
        self.write(
            f"{folder}/pyproject.toml",
            f'[build-system]\nrequires = ["hatchling"]\n[project]\nname = "{distribution}"\n'
            f'dependencies = ["click>=8", "ruamel.yaml"]\n{more}\n[dependency-groups]\ntest = ["pytest>=8"]\n',
        )
        package = distribution.replace("-", "_")
        self.write(f"{folder}/src/{package}/__init__.py", '"""A member."""')

    def core(self, file: str, code: str) -> None:
        self.write(f"core/src/skilltrial/{file}", f'"""A module."""\n{code}')

    def host(self, file: str, code: str) -> None:
        self.write(f"host_echo/src/skilltrial_host_echo/{file}", f'"""A module."""\n{code}')

    def grader(self, file: str, code: str) -> None:
        self.write(f"plugins/grader_words/src/skilltrial_grader_words/{file}", f'"""A module."""\n{code}')

    def write(self, file: str, text: str) -> None:
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def only_violation(self) -> Violation:
        (found,) = violations(self.root)
        return found


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_a_tree_that_keeps_the_rules_has_no_violation(tree: Tree):
    assert violations(tree.root) == []


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("model/words.py", "from skilltrial.plugins import discovery"),
        ("model/words.py", "from ..plugins import discovery"),
        ("plugins/discovery.py", "from .. import archive"),
        ("archive/seal.py", "import skilltrial.record.runner"),
        ("record/runner.py", "from skilltrial.judge.grading import grade"),
        ("judge/grading.py", "from skilltrial import record"),
        ("judge/grading.py", "from skilltrial.rehearsal import rehearse"),
        ("rehearsal.py", "from .cli import main"),
        ("cli/run.py", "from skilltrial.api import Check"),
        ("record/runner.py", "from skilltrial.process import run"),
        ("cli/run.py", "from skilltrial.testing import fakes"),
        ("api.py", "from skilltrial.record import runner"),
        ("process.py", "from skilltrial.judge import grading"),
        # Where an import stands does not matter, nor whether it ever runs.
        ("model/words.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from skilltrial.cli import main"),
        ("model/words.py", "def later():\n    import skilltrial.archive.seal"),
        ("model/words.py", "import importlib\nimportlib.import_module('skilltrial.cli.main')"),
    ],
)
def test_an_import_in_the_core_that_does_not_point_down_is_found(tree: Tree, file: str, code: str):
    tree.core(file, code)

    found = tree.only_violation()

    assert (found.file, found.line) == (f"core/src/skilltrial/{file}", 1 + len(code.splitlines()))


@pytest.mark.parametrize(
    "how",
    ["from .sister import B", "if TYPE_CHECKING:\n    from .sister import B", "def f():\n    from . import sister"],
)
def test_modules_that_lead_to_each_other_are_refused_in_whatever_way(tree: Tree, how: str):
    """Also by way of a third; who only imports one of them is no part of it."""
    tree.grader("brother.py", how)
    tree.grader("sister.py", "from .middle import C")
    tree.grader("middle.py", "from .brother import A")
    tree.grader("grader.py", "from .brother import A")

    found = violations(tree.root)

    assert [Path(one.file).stem for one in found] == ["brother", "middle", "sister"]
    assert "which leads back here" in found[0].says


def test_a_module_of_no_layer_is_found_from_both_sides(tree: Tree):
    tree.core("helpers.py", "from skilltrial.model import words")
    tree.core("judge/grading.py", "from skilltrial import helpers")

    found = violations(tree.root)

    assert [violation.file for violation in found] == [
        "core/src/skilltrial/helpers.py",
        "core/src/skilltrial/judge/grading.py",
    ]
    assert all("belongs to no layer" in violation.says for violation in found)


@pytest.mark.parametrize(
    ("code", "because"),
    [
        ("import skilltrial", "imports skilltrial;"),
        ("from skilltrial.model.words import Outcome", "imports skilltrial.model.words.Outcome;"),
        ("from skilltrial.process import run", "of the core it may import skilltrial.api"),
        ("from skilltrial.testing import contracts", "of the core it may import skilltrial.api"),
        ("from skilltrial.apiary import bees", "of the core it may import skilltrial.api"),
        ("from skilltrial_host_echo.host import EchoHost", "parts meet only in the core"),
        ("import httpx", "plugins/grader_words/pyproject.toml does not declare"),
        ("import pytest", "plugins/grader_words/pyproject.toml does not declare"),
    ],
)
def test_what_a_plugin_may_not_import_is_found(tree: Tree, code: str, because: str):
    tree.grader("grader.py", code)

    found = tree.only_violation()

    assert (found.file, found.line) == ("plugins/grader_words/src/skilltrial_grader_words/grader.py", 2)
    assert because in found.says


def test_a_plugins_tests_may_import_the_kit_but_not_the_insides_of_the_core(tree: Tree):
    tree.write("host_echo/tests/test_it.py", "from skilltrial.testing import fakes\nimport skilltrial.record.runner")

    assert str(tree.only_violation()).startswith("host_echo/tests/test_it.py:2: imports skilltrial.record.runner;")


def test_a_module_without_a_docstring_is_found(tree: Tree):
    tree.write("host_echo/src/skilltrial_host_echo/other.py", "import json\n")

    assert "no docstring" in tree.only_violation().says


def test_a_module_of_more_than_400_lines_is_found(tree: Tree):
    tree.host("fits.py", "\n" * 399)
    tree.host("grown.py", "\n" * 400)

    assert "grown.py:401: has 401 lines" in str(tree.only_violation())


def test_a_namespace_package_is_found_and_the_code_that_a_suite_keeps_as_data_is_not(tree: Tree):
    shop = '[project.entry-points."skilltrial.suites.v1"]\nshop = "skilltrial_suite_shop"'
    tree.member("plugins/suite_shop", "skilltrial-suite-shop", shop)
    tree.write("plugins/suite_shop/src/skilltrial_suite_shop/workspaces/shop/cart.py", "import flask\n")
    tree.host("events/reader.py", "import json")

    assert "namespace packages" in tree.only_violation().says


def test_a_file_that_is_not_python_is_found(tree: Tree):
    tree.host("host.py", "def half(:")

    assert str(tree.only_violation()).startswith("host_echo/src/skilltrial_host_echo/host.py:2: cannot be read")


def test_all_violations_are_told_at_once_in_the_order_of_files_and_lines(tree: Tree):
    tree.core("model/words.py", "import httpx\nimport skilltrial.cli")
    tree.host("host.py", "import skilltrial_grader_words")

    found = [(violation.file.split("/")[0], violation.line) for violation in violations(tree.root)]

    assert found == [("core", 2), ("core", 3), ("host_echo", 2)]
