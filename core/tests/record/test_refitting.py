"""Options of a suite's fixtures from the command line: what is taken, and every fault of what is not."""

from __future__ import annotations

import pytest

from skilltrial.model.errors import InvalidRequest
from skilltrial.record.loading import Loaded
from skilltrial.record.refitting import Setting, refitted

KODY = {"use": "mcp", "answerer": "kody", "catalog": "catalog.json", "mode": "replies"}


@pytest.fixture
def loaded(tmp_path, suite):
    """Make a suite with these fixtures."""

    def make(*names: str) -> Loaded:
        asked = suite([{"id": "one"}], fixtures=dict.fromkeys(names, KODY))
        return Loaded(asked, tmp_path / "small.trial.yaml", tmp_path, b"", {}, None)  # type: ignore[arg-type]

    return make


def test_the_suites_entry_gets_the_options_and_the_run_remembers_them(loaded):
    given = [Setting("kody", "mode", "forward"), Setting(None, "era", "both")]

    replaced = refitted(loaded("kody"), given)

    use = replaced.suite.fixtures["kody"]
    assert use.options == {"catalog": "catalog.json", "mode": "forward", "era": "both"}
    assert (use.use, use.answerer) == ("mcp", "kody")
    assert replaced.elsewhere.options == {"kody": {"mode": "forward", "era": "both"}}
    assert loaded("kody").suite.fixtures["kody"].options["mode"] == "replies"


def test_without_options_nothing_is_changed(loaded):
    before = loaded("kody")
    assert refitted(before, []) is before


@pytest.mark.parametrize(
    ("names", "settings", "says"),
    [
        (("kody",), [Setting("kodi", "mode", 1)], ["no fixture 'kodi'; did you mean 'kody'?"]),
        ((), [Setting(None, "mode", 1)], ["mode: which fixture? say NAME:mode=...; the suite has: none"]),
        (("a", "b"), [Setting(None, "mode", 1)], ["which fixture?", "a, b"]),
        (("kody",), [Setting("kody", "catalog", "x")], ["kody:catalog: a catalog of your own is given with --catalog"]),
        (("kody",), [Setting(None, "era", 1), Setting("kody", "era", 2)], ["kody:era is given twice"]),
        (
            ("kody",),
            [Setting("x", "mode", 1), Setting("kody", "use", 1), Setting("kody", "answerer", 1)],
            ["no fixture 'x'", "kody:use: ", "kody:answerer: "],
        ),
    ],
)
def test_every_fault_is_told_at_once(loaded, names, settings, says):
    with pytest.raises(InvalidRequest) as raised:
        refitted(loaded(*names), settings)
    for one in says:
        assert one in str(raised.value)
