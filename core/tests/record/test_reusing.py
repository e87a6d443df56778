"""Reuse: a sealed trial stands in for a new one only where nothing that could change it differs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from skilltrial.archive import layout
from skilltrial.archive.redaction import Redactor
from skilltrial.archive.trees import Tree
from skilltrial.archive.writing import ArchiveWriter
from skilltrial.model.errors import ArchiveRefused, InvalidRequest
from skilltrial.model.events import SessionEnded
from skilltrial.model.facts import Provenance, TrialFacts
from skilltrial.model.plan import SkillIdentity
from skilltrial.model.request import RunRequest
from skilltrial.model.trial import HostIdentity, TrialKey
from skilltrial.model.words import Ending, Source
from skilltrial.plugins.binding import bind
from skilltrial.plugins.facades import FixtureFacade, NormalizerFacade
from skilltrial.plugins.hookspecs import FixtureSpec
from skilltrial.record.asking import Prepared
from skilltrial.record.parts import Parts
from skilltrial.record.planning import Digests, Selection, plan_rehearsal, plan_run
from skilltrial.record.preparing import Sources
from skilltrial.record.reusing import OLDEST, find_reusable
from skilltrial.record.stopping import Budget

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
SKILL = SkillIdentity(id="notes", sha256="1" * 64, body_sha256="2" * 64)
HOST = HostIdentity(name="fake", version="1.0", program_sha256="3" * 64, records="fake", model="big", effort="low")


class Ends:
    """Records whose text is an ending."""

    def normalize(self, records):
        words = [record.raw for record in records if record.source is Source.STDOUT]
        return [SessionEnded(seq=1, ending=Ending(word)) for word in words]


@dataclass(frozen=True)
class Files(FixtureSpec):
    """A fixture that needs a file beside the suite."""

    def fixture_assets(self):
        return ("replies.json",)


@dataclass
class Asked:
    """What a run is asked for; every field can be made another one."""

    suite: Callable[..., Any]
    host: HostIdentity = HOST
    skill: SkillIdentity = SKILL
    workspace: str = "4" * 64
    options: dict[str, Any] | None = None
    passed: dict[str, str] | None = None
    case: dict[str, Any] | None = None
    more: dict[str, Any] | None = None
    assets: dict[str, bytes] | None = None
    selection: Selection = field(default_factory=lambda: Selection(attempts=2))
    rehearse: bool = False

    def prepared(self, host) -> Prepared:
        suite = self.suite([{"id": "one", **(self.case or {})}, {"id": "two"}], **(self.more or {}))
        digests = Digests("0" * 64, dict.fromkeys(["one", "two"], self.workspace), (self.skill,))
        args = (suite, self.host, self.selection, digests, "run")
        plan = plan_rehearsal(*args, "scripted") if self.rehearse else plan_run(*args)
        fixture = bind(FixtureFacade, "mcp", Files())  # type: ignore[abstract]
        parts = Parts(host, self.host, bind(NormalizerFacade, "fake", Ends()), None, None, {"memory": fixture}, ())
        return Prepared(
            suite=suite,
            request=RunRequest(host="fake", options=self.options or {}),
            parts=parts,
            sources=Sources({}, {}, self.assets or {"replies.json": b"{}"}),
            projects={},
            plan=plan,
            trials=plan.trials,
            budget=Budget(),
            passed=self.passed or {},
            secrets=self.passed or {},
        )


@pytest.fixture
def asked(suite) -> Asked:
    return Asked(suite)


@pytest.fixture
def archive(tmp_path, host) -> Callable[..., Path]:
    """Seal a run that was asked for so."""

    def make(
        run: Asked,
        *,
        started: datetime = NOON,
        trial_started: datetime | None = None,
        endings: dict[TrialKey, str] | None = None,
        changed: tuple[str, ...] = (),
        without: tuple[TrialKey, ...] = (),
    ) -> Path:
        prepared = run.prepared(host)
        root = tmp_path / f"archive-{len(list(tmp_path.iterdir()))}"
        writer = ArchiveWriter.create(root)
        redactor = Redactor(prepared.secrets)
        options, _ = redactor.value(prepared.request.options)
        writer.write(layout.REQUEST, prepared.request.model_copy(update={"options": options}).write())
        writer.write_request(prepared.suite, b"source", prepared.plan, [], prepared.sources.assets)
        writer.write_provenance(
            Provenance(
                started=started,
                skilltrial="1",
                python="3",
                system="any",
                seed=0,
                jobs=1,
                passed_names=tuple(sorted(prepared.passed)),
                changed_sources=changed,
            )
        )
        writer.publish(root)
        for key in prepared.trials:
            if key in without:
                continue
            trial = writer.open_trial(key, redactor)
            trial.host.turn = 1
            trial.host.record(Source.STDOUT, (endings or {}).get(key, "completed"))
            trial.seal(
                TrialFacts(
                    key=key, started=trial_started or started, setup_seconds=0, agent_seconds=1, closing_seconds=0
                )
            )
        writer.seal()
        return root

    return make


@pytest.fixture
def reuse(host) -> Callable[..., Any]:
    return lambda run, root, now=NOON, **more: find_reusable(run.prepared(host), root, now, **more)


def test_equal_trials_of_other_arms_than_the_gates_are_taken_over(asked, archive, reuse):
    root = archive(asked)

    found = reuse(asked, root)

    keys = {one.told.key for one in found.trials}
    assert {(key.case, key.arm, key.label) for key in keys} == {
        (case, "without_skill", label) for case in ("one", "two") for label in ("1", "2")
    }
    assert found.refused == ()
    assert all((one.folder / "seal.json").is_file() for one in found.trials)
    assert {one.told.started for one in found.trials} == {NOON}


def test_the_arm_that_the_gate_judges_is_never_reused(asked, archive, reuse):
    asked = replace(asked, more={"gate": {"arm": "without_skill"}})

    assert {one.told.key.arm for one in reuse(asked, archive(asked)).trials} == {"with_skill"}


WHOLE: dict[str, dict[str, Any]] = {
    "the host is another one": {"host": HOST.model_copy(update={"name": "other"})},
    "the host version is another one": {"host": HOST.model_copy(update={"version": "1.1"})},
    "the host program is another one": {"host": HOST.model_copy(update={"program_sha256": None})},
    "the model is another one": {"host": HOST.model_copy(update={"model": None})},
    "the effort is another one": {"host": HOST.model_copy(update={"effort": "high"})},
    "the host's options are others": {"options": {"command": ["agent", "--other"]}},
    "the permissions (`allow`) differ": {"more": {"allow": ["bash"]}},
    "the limits differ": {"more": {"limits": {"seconds": 5}}},
    "the passed variables (`env`) differ": {"more": {"env": ["KEY"]}},
    "the fixtures differ": {"more": {"fixtures": {"memory": {"use": "mcp"}}}},
    "other variables are passed": {"passed": {"API_KEY": "long-enough-secret"}},
    "the files of fixture memory differ": {"assets": {"replies.json": b"[]"}},
}


@pytest.mark.parametrize("reason", WHOLE)
def test_r22_what_differs_in_the_whole_run_forbids_reuse_and_is_said_once(asked, archive, reuse, reason):
    root = archive(asked)

    found = reuse(replace(asked, **WHOLE[reason]), root)

    assert found.trials == ()
    assert [one for one in found.refused if one.startswith(reason)] == list(found.refused)
    assert len(found.refused) == 1


@pytest.mark.parametrize("reason", [reason for reason in WHOLE if "another one" in reason or "options" in reason])
def test_r22_another_host_can_be_accepted_on_purpose(asked, archive, reuse, reason):
    root = archive(asked)

    assert len(reuse(replace(asked, **WHOLE[reason]), root, accept_host_change=True).trials) == 4


@pytest.mark.parametrize(
    "reason", [reason for reason in WHOLE if "another one" not in reason and "options" not in reason]
)
def test_what_is_not_the_host_is_not_accepted_with_it(asked, archive, reuse, reason):
    root = archive(asked)

    assert reuse(replace(asked, **WHOLE[reason]), root, accept_host_change=True).trials == ()


def test_another_workspace_forbids_reuse(asked, archive, reuse):
    found = reuse(replace(asked, workspace="5" * 64), archive(asked))

    assert found.trials == ()
    assert set(found.refused) == {"the workspace of case one differs", "the workspace of case two differs"}


@pytest.mark.parametrize("case", [{"turns": ["do it now"]}, {"ignore": ["*.log"]}, {"after": ["true"]}])
def test_a_case_that_was_changed_is_run_and_the_others_are_reused(asked, archive, reuse, case):
    found = reuse(replace(asked, case=case), archive(asked))

    assert {one.told.key.case for one in found.trials} == {"two"}
    assert found.refused == ("case one differs",)


def test_skills_count_in_the_arms_that_have_them(asked, archive, reuse):
    """Another SKILL.md changes nothing for the arm without it."""
    other = SKILL.model_copy(update={"sha256": "6" * 64})
    assert len(reuse(replace(asked, skill=other), archive(asked)).trials) == 4

    asked = replace(asked, more={"gate": {"arm": "without_skill"}})
    found = reuse(replace(asked, skill=other), archive(asked))
    assert found.trials == ()
    assert found.refused == ("the skills of arm with_skill differ",)


@pytest.mark.parametrize(("age", "taken"), [(timedelta(0), 4), (OLDEST, 4), (OLDEST + timedelta(seconds=1), 0)])
def test_trials_are_reused_for_fourteen_days(asked, archive, reuse, age, taken):
    root = archive(asked)

    found = reuse(asked, root, NOON + age)

    assert timedelta(days=14) == OLDEST
    assert len(found.trials) == taken
    assert bool(found.refused) is not bool(taken)


def test_a_trial_does_not_get_younger_by_being_reused(asked, archive, reuse):
    """Its archive is of today; but it had taken the trial over from one of three weeks ago."""
    root = archive(asked, started=NOON, trial_started=NOON - timedelta(days=21))

    found = reuse(asked, root)

    assert found.trials == ()
    assert all("older than 14 days" in reason for reason in found.refused)


@pytest.mark.parametrize("ending", ["host_failed", "time_limit", "invalid_events", "interrupted"])
def test_a_trial_that_showed_nothing_is_not_worth_having(asked, archive, reuse, ending):
    key = TrialKey(case="one", arm="without_skill", label="2")

    found = reuse(asked, archive(asked, endings={key: ending}))

    assert key not in {one.told.key for one in found.trials}
    assert len(found.trials) == 3
    assert found.refused == ("no finished trial of one / without_skill / 2",)


def test_a_trial_that_was_not_run_there_is_run_here(asked, archive, reuse):
    key = TrialKey(case="one", arm="without_skill", label="1")

    assert len(reuse(asked, archive(asked, without=(key,))).trials) == 3
    assert len(reuse(replace(asked, selection=Selection(attempts=5)), archive(asked)).trials) == 4


def test_a_run_whose_sources_changed_gives_nothing(asked, archive, reuse):
    found = reuse(asked, archive(asked, changed=("skill notes",)))

    assert found.trials == ()
    assert found.refused == ("its sources changed while it ran",)


def test_rehearsals_are_not_reused_in_either_direction(asked, archive, reuse):
    rehearsal = replace(asked, rehearse=True)
    for run, of in ((asked, rehearsal), (rehearsal, asked)):
        with pytest.raises(InvalidRequest, match="rehearsals are not reused"):
            reuse(run, archive(of))


def test_options_with_a_credential_are_compared_without_it(asked, archive, reuse, tmp_path):
    secret = replace(asked, passed={"API_KEY": "long-enough-secret"}, options={"header": "Bearer long-enough-secret"})
    root = archive(secret)
    rotated = replace(
        asked, passed={"API_KEY": "another-long-secret"}, options={"header": "Bearer another-long-secret"}
    )

    assert len(reuse(secret, root).trials) == 4
    assert len(reuse(rotated, root).trials) == 4
    assert b"long-enough-secret" not in (root / layout.REQUEST).read_bytes()


def test_an_archive_that_was_changed_gives_nothing(asked, archive, reuse):
    root = archive(asked)
    (root / "trials/one/without_skill/1/host.jsonl").write_bytes(b"")

    with pytest.raises(ArchiveRefused, match=r"trials/one/without_skill/1/host\.jsonl"):
        reuse(asked, root)


def test_a_request_that_can_not_be_read_is_refused(asked, archive, reuse):
    root = archive(asked)
    (root / layout.REQUEST).write_bytes(b"{}")
    manifest = json.loads((root / layout.MANIFEST).read_bytes())
    from skilltrial.archive.trees import sha256

    manifest["files"][layout.REQUEST] = sha256(b"{}")
    (root / layout.MANIFEST).write_text(json.dumps(manifest))

    with pytest.raises(ArchiveRefused, match=r"request\.json can't be read"):
        reuse(asked, root)
    assert Tree().entries == ()
