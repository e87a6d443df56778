"""One trial for people: its page, and its project laid out so that the session can be repeated by hand."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from skilltrial.archive.reading import SealedArchive, SealedTrial, open_archive
from skilltrial.archive.trees import Tree
from skilltrial.judge.board import address
from skilltrial.judge.filediff import file_diffs
from skilltrial.judge.questions import CheckDetail
from skilltrial.judge.rendering import drawn
from skilltrial.judge.timeline import timeline
from skilltrial.judge.trialpage import TrialPage, trial_page
from skilltrial.model.capabilities import Sees
from skilltrial.model.errors import InvalidRequest, SourceUnusable
from skilltrial.model.events import ToolRequested, TurnEnded
from skilltrial.model.notes import SkillPlaced, Spawned, notes
from skilltrial.model.suite import Case
from skilltrial.model.trial import TrialKey
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.graders import Graders
from skilltrial.plugins.normalizers import Normalizers
from skilltrial.record.workspace import write_tree

from .judging import judge
from .notes import read_notes
from .places import known_trial
from .printing import coloured, marks, width, writable


def show_trial(root: Path, key: TrialKey, where: str, form: str, *, full: bool, discovery: Discovery) -> None:
    """Print the page of one trial, which the user calls `where`.

    Raises ArchiveRefused, InvalidRequest where the run has no such trial.
    """
    judgement = judge(root, discovery)
    archive = open_archive(root)
    known_trial(archive, key)
    report = next(trial for trial in judgement.report.trials if trial.key == key)
    sealed = archive.trial(key)
    case = archive.suite.case(key.case)
    if sealed is None:
        page = TrialPage(report, case.turns, (), (), (), (), read_notes(root, key))
    else:
        normalizer = Normalizers(discovery).find(archive.plan.host.records)
        moments = timeline(sealed, normalizer, archive.plan.host, archive.suite.fixtures)
        checks = judgement.details.get(key, ())
        page = TrialPage(
            report=report,
            turns=case.turns,
            moments=moments,
            checks=checks,
            grounds=tuple(_grounds(one, case, sealed, discovery, archive) for one in checks),
            diffs=tuple(file_diffs(sealed.files(), whole=full)),
            notes=read_notes(root, key),
            full=full,
        )
    import click

    colour = coloured(form)
    click.echo(writable(drawn(trial_page(page, marks()), plain=not colour, width=width())), nl=False, color=True)
    if sealed is not None:
        # A command is copied: it stays on one line whatever the width.
        click.echo(f"\nby hand\n  skilltrial show {shlex.quote(where)} --unpack DIR && sh DIR/repeat.sh")


def _grounds(detail: CheckDetail, case: Case, sealed: SealedTrial, discovery: Discovery, archive: SealedArchive) -> str:
    """The records that a check was answered from, by what its grader says that it needs and names."""
    check = next(one for one in case.checks if one.id == detail.id)
    graders = Graders(discovery)
    try:
        options = graders.read_check(check)
        needs = graders.find(check.grader).check_needs(options)
        paths = options.paths()
        events = Normalizers(discovery).find(archive.plan.host.records).normalize(sealed.records())
    except Exception:  # noqa: BLE001 - what can't be read names no record
        return ""
    found = [f"files.json: {path}" for path in paths]
    turn = check.turn or len(case.turns)
    if Sees.ANSWERS in needs:
        found += [f"host.jsonl:{one.seq}" for one in events if isinstance(one, TurnEnded) and one.turn == turn]
    if Sees.TOOL_CALLS in needs:
        calls = [one.seq for one in events if isinstance(one, ToolRequested)]
        found += [f"host.jsonl:{seq}" for seq in dict.fromkeys(calls)]
        found += [f"fixture-{name}.jsonl" for name in archive.suite.fixtures]
    if not found:
        found = ["files.json"] if not needs else ["host.jsonl"]
    return ", ".join(found)


def unpack_trial(root: Path, key: TrialKey, out: str, discovery: Discovery) -> None:
    """Lay out what the trial started from, its prompts, and a script that starts its program as it was started.

    Raises ArchiveRefused, InvalidRequest, SourceUnusable where `out` is not a new folder.
    """
    import click

    archive = open_archive(root)
    known_trial(archive, key)
    sealed = archive.trial(key)
    if sealed is None:
        raise InvalidRequest(f"{address(key)} did not run: there is nothing to repeat")
    folder = Path(out).absolute()
    tree = _project(archive, sealed, key)
    try:
        folder.mkdir(parents=True)
        for name in ("project", "home", "tmp"):
            (folder / name).mkdir(mode=0o700)
        write_tree(tree, folder / "project")
        turns = archive.suite.case(key.case).turns
        for number, prompt in enumerate(turns, 1):
            (folder / f"prompt-{number}.txt").write_text(prompt, encoding="utf-8", errors="surrogateescape")
        (folder / "repeat.sh").write_text("\n".join(_script(sealed, key, folder, turns)) + "\n", encoding="utf-8")
    except FileExistsError:
        raise SourceUnusable(f"{out} exists; name a new folder") from None
    except OSError as error:
        raise SourceUnusable(f"{out} can't be made: {error.strerror}") from error
    click.echo(f"{out}: project, prompts and repeat.sh; a login or key of your own goes into its home")


def _project(archive: SealedArchive, sealed: SealedTrial, key: TrialKey) -> Tree:
    """The workspace of the case with the skills of the arm where they lay."""
    tree = archive.workspace(key.case)
    references = {one.partition("@")[0]: one for one in archive.suite.arm(key.arm).skills}
    for _, note in notes(sealed.records()):
        if isinstance(note, SkillPlaced) and note.skill in references:
            tree = tree.with_(archive.skill(references[note.skill]).under(note.path))
    return tree


def _script(sealed: SealedTrial, key: TrialKey, folder: Path, turns: Sequence[str]) -> Iterator[str]:
    yield "#!/bin/sh"
    yield f"# Repeats the session {address(key)} by hand: the same command, project and prompts."
    yield "# Fixtures and scripted models are not started; what was a credential is not kept."
    yield f"cd {shlex.quote(str(folder / 'project'))} || exit 1"
    yield f"export HOME={shlex.quote(str(folder / 'home'))} TMPDIR={shlex.quote(str(folder / 'tmp'))}"
    places = {name: str(folder / name) for name in ("project", "home", "tmp")}
    for at, spawned in enumerate(note for _, note in notes(sealed.records()) if isinstance(note, Spawned)):
        words = []
        for word in spawned.argv:
            for name, path in places.items():
                word = word.replace(f"{{{name}}}", path)  # noqa: PLW2901 - three names in one word
            words.append(shlex.quote(word))
        prompt = shlex.quote(str(folder / f"prompt-{min(at + 1, len(turns))}.txt"))
        yield f"{' '.join(words)} < {prompt}"
