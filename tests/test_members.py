"""What is true of every member: names, files, wheels; and of the workspace: no list of members, no addresses."""

import ast
import importlib
import json
import pkgutil
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

import bundle
import lock
import members as workspace
import skilltrial.testing
from members import CORE, ROOT, Member
from skilltrial.plugins.kinds import COMMAND, SUITE
from skilltrial.testing.contracts import Contract

MEMBERS = workspace.members()
PLUGINS = [member for member in MEMBERS if member.folder != CORE]
PARTS = [member for member in PLUGINS if member != bundle.bundle(MEMBERS)]
each_member = pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.folder)
each_plugin = pytest.mark.parametrize("member", PLUGINS, ids=lambda member: member.folder)
each_part = pytest.mark.parametrize("member", PARTS, ids=lambda member: member.folder)

# The kinds whose folder prefix is not simply the singular of their entry point group.
GROUPS = {"agent": "dialects", "render": "renderers"}


def files_of_the_repository() -> list[Path]:
    """Everything that is tracked or would be added, so that a fault is found before it is committed."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def pyproject(member: Member) -> dict[str, Any]:
    return tomllib.loads((ROOT / member.folder / "pyproject.toml").read_text(encoding="utf-8"))


@each_part
def test_folder_distribution_package_and_entry_point_bear_one_name(member: Member):
    folder = member.folder.rpartition("/")[2]
    kind, _, name = folder.partition("_")
    group = f"skilltrial.{GROUPS.get(kind, f'{kind}s')}.v1"

    assert member.distribution == f"skilltrial-{folder.replace('_', '-')}"
    assert (ROOT / member.folder / "src" / member.package / "__init__.py").is_file()
    assert (name or kind) in member.entry_points.get(group, {}), f"no entry point {name!r} in {group}"


@each_plugin
def test_the_init_of_a_plugin_is_a_docstring_only(member: Member):
    init = ROOT / member.folder / "src" / member.package / "__init__.py"

    tree = ast.parse(init.read_text(encoding="utf-8"))

    assert ast.get_docstring(tree)
    assert len(tree.body) == 1, "regrading an archive must not import a host: nothing but the docstring belongs here"


@each_plugin
def test_a_plugin_bounds_the_core_on_both_sides(member: Member):
    (line,) = (line for line in member.dependencies if workspace.name_of(line) == "skilltrial")

    assert re.fullmatch(r"skilltrial(\[[a-z]+\])?>=[0-9.]+,<[0-9.]+", line)


@each_member
def test_a_member_has_a_readme_and_tests_of_its_own(member: Member):
    folder = ROOT / member.folder

    assert (folder / "README.md").read_text(encoding="utf-8").startswith(f"# {member.distribution}\n")
    assert list((folder / "tests").rglob("test_*.py")), "every member shows by itself that it works"


@each_member
def test_a_wheel_holds_everything_under_src_and_nothing_else(member: Member, tmp_path: Path):
    source = ROOT / member.folder / "src"
    builder = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), member.folder]
    subprocess.run(builder, cwd=ROOT, check=True, capture_output=True)

    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}

    assert packed == {
        path.relative_to(source).as_posix() for path in files_of_the_repository() if path.is_relative_to(source)
    }
    assert f"{member.package}/py.typed" in packed
    for points in (*member.entry_points.values(), pyproject(member)["project"].get("scripts", {})):
        for target in points.values():
            path = target.partition(":")[0].replace(".", "/")
            assert packed & {f"{path}.py", f"{path}/__init__.py"}, f"{target} is registered and not in the wheel"


def test_the_bundle_brings_members_only_and_bears_the_rule_of_names():
    """That it brings all of them is for `.ci/generated`: who adds a member need not know of it."""
    one = bundle.bundle(MEMBERS)

    assert one.distribution == f"skilltrial-{one.folder.rpartition('/')[2]}"
    assert one.needs <= {member.distribution for member in MEMBERS if member != one}
    assert bundle.wanted("a\ndependencies = [\n]\nb\n", MEMBERS).count('",\n') == len(MEMBERS) - 1


@each_part
def test_each_part_of_a_member_is_held_to_the_contract_of_its_kind(member: Member):
    """Its tests name the class, and have a test class of that contract."""
    contracts = {
        one.kind.group: name
        for module in pkgutil.iter_modules(skilltrial.testing.__path__, "skilltrial.testing.")
        if module.name != "skilltrial.testing.player"  # a program that is copied, never imported
        for name, one in vars(importlib.import_module(module.name)).items()
        if name.endswith("Contract") and issubclass(one, Contract) and one is not Contract
    }
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / member.folder / "tests").rglob("test_*.py")]

    for group, points in member.entry_points.items():
        if group not in contracts:
            # What is left has no behaviour of its own: a suite is data, a command belongs to click.
            assert group in (SUITE.group, COMMAND.group)
            continue
        name = contracts[group]
        for target in set(points.values()):
            part = target.rpartition(":")[2]
            held = [text for text in texts if re.search(rf"^class Test\w*\({name}\)", text, re.MULTILINE)]
            assert any(re.search(rf"\b{part}\b", text) for text in held), f"no {name} holds {part} of {member.folder}"


def test_no_list_of_members_is_written_by_hand():
    """Whoever adds a member adds a folder; the build, the lint, the tests and the workflow find it."""
    names = {name for member in PLUGINS for name in (member.folder, member.distribution, member.package)}
    shared = [ROOT / "Makefile", ROOT / "pyproject.toml", *(ROOT / ".ci").iterdir(), *(ROOT / ".github").rglob("*.yml")]

    written = [
        f"{file.relative_to(ROOT)} names {name}"
        for file in shared
        if file.is_file()
        for name in names
        if name in file.read_text(encoding="utf-8")
    ]

    assert not written


def test_make_and_pytest_find_the_members_that_the_build_finds():
    folders = [member.folder for member in MEMBERS]
    shown = subprocess.run(
        ["make", "--silent", "--eval=shown: ; @printf '%s\\n' $(MEMBERS)", "shown"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]

    assert sorted(shown.stdout.split()) == sorted(folders)
    assert {path for glob in settings["testpaths"] for path in ROOT.glob(glob)} == {
        ROOT / "tests",
        *(ROOT / folder / "tests" for folder in folders),
    }


def test_the_lock_covers_what_is_declared_and_names_no_address():
    assert lock.faults(lock.declared(), lock.LOCK.read_text(encoding="utf-8")) == []


def test_what_the_bench_installs_for_itself_is_exact_and_hashed_too():
    for file in sorted((ROOT / "bench" / "others").glob("*.txt")):
        text = file.read_text(encoding="utf-8")
        named = re.findall(r"^[A-Za-z0-9].*?(?= \\|$)", text, flags=re.MULTILINE)
        assert lock.faults(named, text) == []
        assert named
        assert len(named) == len(lock.pins(text)) <= text.count("--hash=sha256:")


def test_a_lock_that_is_behind_or_tells_too_much_is_refused():
    text = "--find-links wheels\nclick==8.1.0 \\\n    --hash=sha256:00\nrich @ https://example.org/rich.whl\n"

    found = lock.faults(["click>=8.2", "Ruamel_yaml", "click>=8 ; python_version >= '3.11'"], text)

    assert found == [
        "click>=8.2 is declared, and the lock has click 8.1.0",
        "Ruamel_yaml is declared, and the lock has no Ruamel_yaml",
        "line 1 holds an address or an option: --find-links wheels",
        "line 4 holds an address or an option: rich @ https://example.org/rich.whl",
    ]


def test_no_file_tells_where_packages_are_fetched_from():
    """A clone is set up from whatever source its machine is configured for."""
    files = files_of_the_repository()
    addressed = re.compile(r"(index[-_]url|find[-_]links|registry|resolved)\W{1,5}(https?|file)://", re.IGNORECASE)

    told = [file for file in files if addressed.search(file.read_bytes().decode("utf-8", "replace"))]

    assert not told
    assert not [file for file in files if file.name == "uv.lock"]


class TestChanged:
    """`members.py --changed`: what a change may break is tested, the rest need not be."""

    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        for folder, name, needs in (
            ("core", "skilltrial", "click"),
            ("host_echo", "skilltrial-host-echo", "skilltrial>=0.1"),
            ("plugins/grader_words", "skilltrial-grader-words", "skilltrial"),
            ("plugins/suite_shop", "skilltrial-suite-shop", "skilltrial_grader.words>=0.1"),
        ):
            (tmp_path / folder).mkdir(parents=True)
            text = f'[build-system]\nrequires = []\n[project]\nname = "{name}"\ndependencies = ["{needs}"]\n'
            (tmp_path / folder / "pyproject.toml").write_text(text, encoding="utf-8")
        return tmp_path

    @pytest.mark.parametrize(
        ("files", "folders"),
        [
            (["core/src/skilltrial/api.py"], ["core", "host_echo", "plugins/grader_words", "plugins/suite_shop"]),
            (["requirements.lock"], ["core", "host_echo", "plugins/grader_words", "plugins/suite_shop"]),
            (["host_new/README.md"], ["core", "host_echo", "plugins/grader_words", "plugins/suite_shop"]),
            (["host_echo/README.md"], ["host_echo"]),
            (["plugins/grader_words/src/x.py"], ["plugins/grader_words", "plugins/suite_shop"]),
            (["plugins/suite_shop/tests/test_x.py", "README.md"], ["plugins/suite_shop"]),
            (["README.md", "docs/design.md", "tests/test_members.py"], []),
        ],
    )
    def test_a_change_reaches_its_member_and_whoever_depends_on_it(
        self, root: Path, files: list[str], folders: list[str]
    ):
        reached = workspace.touched(workspace.members(root), files)

        assert [member.folder for member in reached] == folders

    def test_committed_uncommitted_and_new_files_are_all_changes(self, root: Path):
        def git(*words: str) -> None:
            identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
            subprocess.run(["git", *identity, *words], cwd=root, check=True, capture_output=True)

        (root / "moved").write_text("text that is long enough to be seen as moved\n")
        git("init", "-b", "main")
        git("add", ".")
        git("commit", "-m", "one")
        git("checkout", "-b", "topic")
        git("mv", "moved", "здесь")
        git("commit", "-m", "two")
        (root / "core" / "pyproject.toml").write_text("")
        (root / "new").write_text("")

        assert sorted(workspace.changed_since("main", root)) == ["core/pyproject.toml", "moved", "new", "здесь"]


def test_the_workflow_can_read_what_members_prints():
    printed = subprocess.run([sys.executable, ".ci/members.py", "--json"], cwd=ROOT, check=True, capture_output=True)

    assert json.loads(printed.stdout) == [member.folder for member in MEMBERS]
