"""Two runs on one account are held apart, however the first one ends; a credential never names one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from skilltrial.model.errors import Exit, SourceUnusable
from skilltrial.model.trial import FixtureIdentity, LiveServer
from skilltrial.record.accounts import alone

HERE, THERE = "https://memory.example/mcp", "https://other.example/mcp"
HOLDER = f"""
import sys, time
from skilltrial.model.trial import FixtureIdentity
from skilltrial.record.accounts import alone
with alone({{"m": FixtureIdentity(exclusive=True, account="{HERE}")}}, live=True, run="first"):
    print("held", flush=True)
    time.sleep(600)
"""


def behind(account: str | None, **more: object) -> dict[str, FixtureIdentity]:
    return {"memory": FixtureIdentity.model_validate({"exclusive": True, "account": account, **more})}


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def test_a_second_command_on_one_account_is_refused_until_the_first_one_is_gone(state: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLDER], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"

        with pytest.raises(SourceUnusable) as refused, alone(behind(HERE), live=True, run="second"):
            pytest.fail("two runs on one account")
        with alone(behind(THERE), live=True, run="second"):
            pass

        process.send_signal(signal.SIGKILL)
        process.wait()
    with alone(behind(HERE), live=True, run="third"):
        (file,) = (state / "skilltrial/accounts").iterdir()
        assert f"run third, process {os.getpid()}, since 2" in file.read_text()

    said = str(refused.value)
    assert refused.value.exit is Exit.INVALID
    assert said.startswith(
        f"fixture 'memory': another run is on {HERE}, and all trials share what is there (run first, "
    )
    assert f"process {process.pid}, since 2" in said
    assert said.endswith("; wait for it, or end it")
    assert list((state / "skilltrial/accounts").iterdir()) == []


@pytest.mark.parametrize(
    ("fixtures", "live"),
    [
        (behind(None), True),
        (behind(HERE, exclusive=False), True),
        # In a rehearsal something stands in for the account.
        (behind(HERE, live=LiveServer(mutates=True, rehearsed=True)), False),
    ],
)
def test_what_is_not_shared_is_held_by_nobody(fixtures: dict[str, FixtureIdentity], live: bool, state: Path) -> None:
    with alone(fixtures, live=live, run="one"), alone(fixtures, live=live, run="two"):
        assert not state.exists()


def test_two_fixtures_of_one_run_may_share_an_account() -> None:
    fixtures = {**behind(HERE), "again": behind(HERE)["memory"]}

    with alone(fixtures, live=True, run="one"), pytest.raises(SourceUnusable), alone(fixtures, live=True, run="two"):
        pytest.fail("two runs on one account")


def test_where_nothing_can_be_held_nothing_runs(state: Path) -> None:
    state.write_text("a file")

    with pytest.raises(SourceUnusable, match="XDG_STATE_HOME"), alone(behind(HERE), live=True, run="one"):
        pytest.fail("nothing was held")
