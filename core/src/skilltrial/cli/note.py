"""`skilltrial note RUN[/CASE/ARM/N] TEXT`."""

from __future__ import annotations

import click


@click.command("note", short_help="Keep a remark on a run or a trial, outside the seal.")
@click.argument("where")
@click.argument("text")
def command(where: str, text: str) -> None:
    """Keep a reviewer's TEXT on a run or one of its trials. WHERE is RUN or RUN/CASE/ARM/N; RUN is a folder or `last`.

    Remarks lie in notes.jsonl beside the sealed files: `verify` and every report stay what they were, and nothing
    says that a remark was not changed. `skilltrial show` shows them.
    """
    from datetime import UTC, datetime

    from skilltrial.archive.reading import open_archive

    from .notes import add_note
    from .places import find_trial, known_trial

    if not text.strip():
        raise click.UsageError("a note without a text says nothing")
    root, key = find_trial(where)
    known_trial(open_archive(root), key)
    add_note(root, key, text, datetime.now(UTC))
