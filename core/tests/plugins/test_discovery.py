"""Parts are found by metadata: what was not named is not imported, and harms nobody."""

from __future__ import annotations

from importlib.metadata import Distribution, distributions

import pytest

from skilltrial.plugins.metadata import told

GRADERS = "skilltrial.graders.v1"

ASK = """
import json, sys
from skilltrial.model.errors import SkilltrialError
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.kinds import *
def ask(what):
    try:
        found = what(Discovery())
        return found.__name__ if isinstance(found, type) else repr(found)
    except SkilltrialError as error:
        return f"{type(error).__name__}: {error}"
def tell(*asked):
    print(json.dumps([[ask(one) for one in asked], sorted(name for name in sys.modules if name.startswith("acme"))]))
"""


def ask(site, *questions: str):
    """The answers (or errors), and which of the throw-away modules were imported for them."""
    return site.python(ASK + f"tell({', '.join(f'lambda found: {question}' for question in questions)})")


def test_a_part_is_loaded_by_its_name(site, grader_source):
    site.add(
        "acme-grader",
        {GRADERS: {"acme": "acme_grader:Grader", "acme-more": "acme_more:Grader"}},
        {"acme_grader": grader_source},
    )

    (loaded,), imported = ask(site, "found.load(GRADER, 'acme')")

    assert loaded == "Grader"
    assert imported == ["acme_grader"]


def test_listing_two_hundred_parts_imports_none_of_them(site):
    for number in range(200):
        site.add(
            f"acme-{number}",
            {GRADERS: {f"acme{number}": f"acme_{number}:Grader"}, "console_scripts": {f"acme{number}": "acme:main"}},
            {f"acme_{number}": "raise RuntimeError('imported')"},
        )

    (names, every), imported = ask(site, "found.names(GRADER)", "len(found.installed)")

    assert names.count("'acme") == 200
    assert int(every) >= 200
    assert imported == []
    done = site.cli("plugins")
    assert done.returncode == 0
    assert sum(line.startswith("grader      acme") for line in done.stdout.splitlines()) == 200
    assert "imported" not in done.stderr + done.stdout


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ("raise RuntimeError('no luck')", "RuntimeError: no luck"),
        ("import acme_dependency_that_is_missing", "ModuleNotFoundError"),
        ("def f(:", "SyntaxError"),
        ("assert False, 'never'", "AssertionError: never"),
        ("import sys; sys.exit(0)", "SystemExit"),
        ("x = 1", "AttributeError"),
    ],
)
def test_a_part_that_can_not_be_imported_harms_only_who_names_it(site, grader_source, body, cause):
    site.add("acme-good", {GRADERS: {"good": "acme_good:Grader"}}, {"acme_good": grader_source})
    site.add("acme-bad", {GRADERS: {"bad": "acme_bad:Grader"}}, {"acme_bad": body}, version="2.5")

    (bad, good), _ = ask(site, "found.load(GRADER, 'bad')", "found.load(GRADER, 'good')")

    assert bad.startswith("PluginBroken: grader 'bad' (acme-bad 2.5) can't be loaded: ")
    assert cause in bad
    assert good == "Grader"
    done = site.cli("plugins", "bad")
    assert done.returncode == 2
    assert cause in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert "bad" in site.cli("plugins").stdout


def test_a_part_that_names_no_class_is_refused(site):
    site.add("acme", {GRADERS: {"acme": "acme_it:thing"}}, {"acme_it": "thing = 3"})

    (told,), _ = ask(site, "found.load(GRADER, 'acme')")

    assert told == "PluginMismatch: grader 'acme' (acme 1.0): the entry point must name a class, not int"


def test_a_name_that_two_distributions_claim_is_found_before_anything_is_imported(site, grader_source):
    for distribution, version in (("acme-one", "1.0"), ("acme-two", "3.1")):
        module = distribution.replace("-", "_")
        site.add(distribution, {GRADERS: {"same": f"{module}:Grader"}}, {module: grader_source}, version)

    (told,), imported = ask(site, "found.load(GRADER, 'same')")

    assert told == (
        "PluginDuplicate: grader 'same' is provided by acme-one 1.0 and acme-two 3.1; uninstall one of them"
    )
    assert imported == []
    listed = site.cli("plugins").stdout
    assert listed.count("two distributions provide this name") == 2


def test_one_name_for_two_kinds_is_no_double(site, grader_source):
    site.add(
        "acme",
        {GRADERS: {"acme": "acme_it:Grader"}, "skilltrial.normalizers.v1": {"acme": "acme_it:Grader"}},
        {"acme_it": grader_source},
    )

    (grader, normalizer), _ = ask(site, "found.load(GRADER, 'acme')", "found.load(NORMALIZER, 'acme')")

    assert (grader, normalizer) == ("Grader", "Grader")


@pytest.mark.parametrize("major", [0, 2, 12])
def test_a_part_of_another_api_version_is_reported_and_never_imported(site, major):
    site.add(
        "acme", {f"skilltrial.graders.v{major}": {"acme": "acme_it:Grader"}}, {"acme_it": "raise RuntimeError"}, "4.0"
    )

    (told, names), imported = ask(site, "found.load(GRADER, 'acme')", "found.names(GRADER)")

    assert told == (f"PluginMismatch: grader 'acme' (acme 4.0) is installed for plugin API v{major}; this is v1")
    assert "acme" not in names
    assert imported == []
    assert f"! for plugin API v{major}; this is v1" in site.cli("plugins").stdout
    described = site.cli("plugins", "acme")
    assert described.returncode == 2
    assert "installed for plugin API" in described.stdout


def test_a_part_for_two_api_versions_is_the_one_for_ours(site, grader_source):
    site.add(
        "acme",
        {"skilltrial.graders.v2": {"acme": "acme_new:Grader"}, GRADERS: {"acme": "acme_old:Grader"}},
        {"acme_old": grader_source},
    )

    (told,), imported = ask(site, "found.load(GRADER, 'acme')")

    assert told == "Grader"
    assert imported == ["acme_old"]


def test_an_unknown_name_is_answered_with_the_nearest(site, grader_source):
    site.add("acme", {GRADERS: {"acme": "acme_it:Grader"}}, {"acme_it": grader_source})

    (near, far), _ = ask(site, "found.load(GRADER, 'acne')", "found.load(GRADER, 'zebra-crossing')")

    assert "no grader called 'acne'; did you mean 'acme'? installed: " in near
    assert "did you mean" not in far


def test_the_first_of_two_versions_on_the_path_counts(site, tmp_path, grader_source):
    """Python would import the first one; the second is no double of it."""
    site.add("Acme.Grader", {GRADERS: {"acme": "acme_it:Grader"}}, {"acme_it": grader_source}, "2.0")
    other = type(site)(tmp_path / "other")
    other.add("acme-grader", {GRADERS: {"acme": "acme_it:Grader"}}, version="1.0")

    (told,), _ = site.python(
        f"import sys; sys.path.append({str(other.root)!r})"
        + ASK
        + "tell(lambda found: found.find(GRADER, 'acme').version)"
    )

    assert told == "'2.0'"


def test_what_a_distribution_says_of_itself_is_what_importlib_reads():
    installed = list(distributions())

    assert len(installed) > 10
    for one in installed:
        says = told(one)
        assert (says.name, says.version) == (one.name, one.version)
        assert list(says.requires) == list(one.requires or ())


def test_what_a_readme_looks_like_is_no_field(site):
    site.add("acme", {})
    info = site.root / "acme-1.0.dist-info"
    with (info / "METADATA").open("a") as file:
        file.write("Requires-Dist: click\n\nVersion: 9.9\nRequires-Dist: evil\n")

    says = told(Distribution.at(info))

    assert (says.name, says.version, list(says.requires)) == ("acme", "1.0", ["click"])


@pytest.mark.parametrize("damage", ["no metadata", "no name", "bytes", "no target"])
def test_a_damaged_distribution_of_somebody_elses_harms_nobody(site, grader_source, damage):
    site.add("acme-good", {GRADERS: {"good": "acme_good:Grader"}}, {"acme_good": grader_source})
    site.add("other", {GRADERS: {"other": "other:Grader"}} if damage != "no target" else f"[{GRADERS}]\nnothing\n")
    info = site.root / "other-1.0.dist-info"
    if damage == "no metadata":
        (info / "METADATA").unlink()
    elif damage == "no name":
        (info / "METADATA").write_text("Metadata-Version: 2.1\n")
    elif damage == "bytes":
        (info / "entry_points.txt").write_bytes(b"[x]\n\xff\xfe = y\n")

    done = site.cli("plugins")

    assert done.returncode == 0, done.stderr
    assert "good" in done.stdout
    if damage in {"no metadata", "no name"}:
        # Of the others stevedore says which file it could not read: it looks at every distribution before it loads one.
        assert site.cli("plugins", "good").returncode == 0, site.cli("plugins", "good").stdout


def test_nobody_joins_through_a_library_of_ours(site, grader_source):
    """pydantic imports its own plugins from whatever is installed, and they may change how models are read."""
    site.add("acme-pydantic", {"pydantic": {"acme": "acme_pydantic:plugin"}}, {"acme_pydantic": "open('joined', 'w')"})
    site.add("acme-good", {GRADERS: {"good": "acme_good:Grader"}}, {"acme_good": grader_source})

    assert site.cli("plugins", "good").returncode == 0
    assert not (site.root / "joined").exists()


def test_a_part_of_a_kind_that_is_not_known_is_listed_as_such(site):
    site.add("acme", {"skilltrial.oracles.v1": {"delphi": "acme_it:Oracle"}})

    assert "delphi" in site.cli("plugins").stdout
    assert "! of a kind that this release does not know" in site.cli("plugins").stdout


@pytest.mark.parametrize("target", ["acme_suites", "acme_suites.small", "acme_suites.deep.small"])
def test_the_folder_of_a_suite_is_found_without_importing_its_package(site, target):
    site.add("acme", {"skilltrial.suites.v1": {"small": target}})
    folder = site.root / target.replace(".", "/")
    folder.mkdir(parents=True)
    for path in (folder, *folder.parents):
        if path == site.root:
            break
        (path / "__init__.py").write_text("raise RuntimeError('imported')")

    (told, missing), imported = ask(site, "str(found.suite_folder('small'))", "found.suite_folder('smal')")

    assert told == repr(str(folder))
    assert missing.startswith("PluginNotFound: no suite called 'smal'; did you mean 'small'?")
    assert imported == []


@pytest.mark.parametrize("target", ["acme_gone", "acme_it", "acme_gone.deep", "acme_it.deep"])
def test_a_suite_whose_folder_is_gone_is_said(site, target):
    site.add("acme", {"skilltrial.suites.v1": {"small": target}}, {"acme_it": "x = 1"})

    (told,), _ = ask(site, "found.suite_folder('small')")

    assert told == "PluginBroken: suite 'small' (acme 1.0): its folder can't be found"


def test_a_part_is_known_by_the_digest_of_its_whole_package(site, grader_source):
    site.add(
        "acme",
        {GRADERS: {"acme": "acme_pkg.grader:Grader"}},
        {"acme_pkg.__init__": "", "acme_pkg.grader": grader_source},
    )

    def digest():
        (told,), imported = ask(site, "found.identify(GRADER, 'acme').source_sha256")
        assert imported == []
        return told

    before = digest()
    assert digest() == before
    (site.root / "acme_pkg/helper.py").write_text("x = 1\n")
    with_helper = digest()
    (site.root / "acme_pkg/helper.py").write_text("x = 2\n")

    assert len({before, with_helper, digest()}) == 3


OPTIONS = """
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass
@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Host:
    binary: str
    effort: int = Field(default=1, ge=1)
"""


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"binary": "x", "efort": 1}, "takes no option `efort`; did you mean `effort`?"),
        ({"binary": "x", "zzz": 1}, "takes no option `zzz`; it takes binary, effort"),
        ({}, "needs the option `binary`"),
        ({"binary": "x", "effort": 0}, "option `effort` does not fit"),
        ({"binary": "SECRET-CANARY" * 0 or 3, "effort": "SECRET-CANARY"}, "option `effort` does not fit"),
    ],
)
def test_options_that_do_not_fit_are_named_each_and_their_values_are_not(site, options, told):
    site.add("acme", {"skilltrial.hosts.v1": {"acme": "acme_it:Host"}}, {"acme_it": OPTIONS})

    (said,), _ = ask(site, f"found.build(HOST, 'acme', {options!r})")

    assert said.startswith("InvalidRequest: host 'acme': ")
    assert told in said
    assert "SECRET-CANARY" not in said


def test_plugins_shows_one_part_and_whether_it_is_sound(site, grader_source):
    site.add("acme", {GRADERS: {"acme": "acme_it:Grader"}}, {"acme_it": grader_source})

    done = site.cli("plugins", "acme")
    assert done.returncode == 0
    assert "Answers nothing." in done.stdout
    assert "acme 1.0" in done.stdout
    assert site.cli("plugins", "nobody").returncode == 2
    assert "no part is called 'nobody'" in site.cli("plugins", "nobody").stderr


def test_commands_that_parts_bring_are_found_and_shown(site):
    site.add(
        "acme",
        {"skilltrial.commands.v1": {"acme-hello": "acme_it:command", "acme-none": "acme_it:nothing"}},
        {
            "acme_it": "import click\nnothing = 3\n\n"
            "@click.command()\ndef command():\n    'Say hello.'\n    click.echo('hello')\n"
        },
    )

    assert site.cli("acme-hello").stdout == "hello\n"
    assert site.cli("acme-none").returncode == 2
    shown = site.cli("plugins", "acme-hello")
    assert shown.returncode == 0, shown.stdout + shown.stderr
