"""A trial of the real agent programs, shown: what the program said beside what the fixture received."""

from __future__ import annotations

from typing import Any


def test_a_trial_of_the_real_program_is_shown_turn_by_turn_with_both_witnesses(program: Any, desk: Any) -> None:
    ran = desk.run(
        *("rehearse", "guidance", "--case", "failed-save", "--arm", "with_skill", "--out", "run"),
        *("--rehearsal", "honest", "--rehearsal", "null", *program.flags),
    )
    assert ran.code == 0, ran.out + ran.err

    honest = desk.run("show", "run/failed-save/with_skill/honest", env={"COLUMNS": "120"})
    idle = desk.run("show", "run/failed-save/with_skill/null", env={"COLUMNS": "120"})

    assert (honest.code, idle.code) == (0, 0), honest.err + idle.err
    text = " ".join(honest.out.split())
    assert "skill project-context: opened" in text
    assert "calls powercontext.remember_memory" in text
    assert "powercontext received remember_memory" in text
    assert "FIXTURE_WRITE_DENIED" in text
    assert "host.jsonl:" in text
    assert "answer: STATUS: FAILED" in text
    assert "calls powercontext.remember_memory" not in idle.out
    assert "from: host.jsonl:" in text
