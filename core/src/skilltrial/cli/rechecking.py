"""`grade --checks`: sealed evidence by the checks of an edited suite, where nothing else of it was edited."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from skilltrial.archive.reading import SealedArchive, open_archive
from skilltrial.judge.grading import Judgement, grade
from skilltrial.judge.rechecked import Rechecked, differences, with_checks
from skilltrial.model.errors import InvalidRequest
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.graders import Graders
from skilltrial.plugins.judging import judging_parts
from skilltrial.plugins.normalizers import Normalizers
from skilltrial.record.gathering import Gatherer
from skilltrial.record.loading import Loaded
from skilltrial.record.preparing import Sources

from .formats import load_suite


def judge_by(root: Path, checks: str, discovery: Discovery) -> tuple[Judgement, tuple[str, ...]]:
    """Judge the archive in `root` by the checks of the suite `checks`; and name the cases that only it has.

    Raises ArchiveRefused, DocumentInvalid, and InvalidRequest that names every case whose prompts, workspace, skills
    or fixtures are not those of the run.
    """
    archive = open_archive(root)
    if archive.plan.mode != "run":
        raise InvalidRequest("a rehearsal tests a suite as it is; rehearse the edited one instead")
    loaded = load_suite(checks, {}, discovery)
    found = list(differences(archive.suite, loaded.suite))
    named = {path for options in loaded.checks.values() for path in options.assets()}
    sources = Gatherer(loaded.suite, loaded.root, loaded.path, loaded.skills_root).gather(named)
    found += _other_sources(archive, loaded, sources)
    if found:
        told = "\n".join(f"  {one}" for one in dict.fromkeys(found))
        raise InvalidRequest(f"{checks} is not the suite of this run beside its checks; run it anew:\n{told}")
    suite = with_checks(archive.suite, loaded.suite)
    view = Rechecked(archive, suite, {**archive.assets, **sources.assets})
    judges = judging_parts(discovery, suite, archive.plan.host.records)
    judgement = grade(view, Graders(discovery), Normalizers(discovery), judges, checks_changed=True)
    known = {case.id for case in archive.suite.cases}
    return judgement, tuple(case.id for case in loaded.suite.cases if case.id not in known)


def _other_sources(archive: SealedArchive, loaded: Loaded, sources: Sources) -> Iterator[str]:
    cases = {case.id: case for case in loaded.suite.cases}
    for case, digest in archive.plan.workspaces.items():
        if case not in cases:
            continue
        now, then = cases[case].workspace, archive.suite.case(case).workspace
        # A repository is made anew each time, with a commit of its own: what it is made of is what counts.
        same = now == then if now.repository else sources.workspaces[case].digest() == digest
        if not same:
            yield f"case {case!r}: its workspace is another than that of the run"
    for skill in archive.plan.skills:
        if skill.id in sources.skills and sources.skills[skill.id].identity.sha256 != skill.sha256:
            yield f"skill {skill.id!r} is another than that of the run"
