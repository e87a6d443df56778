"""What a file holds after the run: bytes, text or JSON; or the answer that ends the check."""

from __future__ import annotations

from pydantic import JsonValue

from skilltrial.api import ContentUnavailable, Evidence, FileKind, Files
from skilltrial.checks import strictjson
from skilltrial.checks.wording import beginning, cut

from .reasons import Reason, failed, unverified


def bytes_at(files: Files, path: str) -> bytes:
    """The bytes of the file at `path`. Raises Settled: no file is a failure, content that was not kept no answer."""
    entry = files.after.get(path)
    if entry is None and not files.complete:
        raise unverified(Reason.LISTING_CUT)
    if entry is None:
        raise failed(Reason.FILE_MISSING, expected=f"a file at {cut(path)}")
    if entry.kind is not FileKind.FILE:
        raise failed(Reason.NOT_A_FILE, expected=f"a file at {cut(path)}", seen=f"a {entry.kind.value}")
    try:
        return files.read(path)
    except ContentUnavailable as error:
        if error.reason == "redacted":
            raise unverified(Reason.CONTENT_REDACTED) from error
        raise unverified(Reason.CONTENT_NOT_KEPT, seen=entry.unread or "") from error


def text_at(files: Files, path: str) -> str:
    """The file's text: UTF-8, a byte order mark taken off, every line end a newline. Raises Settled."""
    data = bytes_at(files, path)
    try:
        return universal(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise failed(Reason.NOT_UTF8, expected="text in UTF-8", seen=f"not UTF-8 at byte {error.start}") from error


def json_at(files: Files, path: str, pointer: str) -> JsonValue:
    """The value at a JSON Pointer of the file. Raises Settled; PointerMissing where the document has nothing there."""
    try:
        document = strictjson.read(text_at(files, path))
    except ValueError as error:
        # The text of a JSONDecodeError has the place, and nothing of the document.
        raise failed(Reason.NOT_JSON, expected="one JSON document", seen=cut(str(error), 120)) from error
    return strictjson.at(document, pointer)


def pointed_at(files: Files, path: str, pointer: str) -> JsonValue:
    """As `json_at`, and nothing at the pointer is a failure. Raises Settled."""
    try:
        return json_at(files, path, pointer)
    except strictjson.PointerMissing:
        raise failed(Reason.POINTER_MISSING, expected=f"a value at {cut(pointer)}") from None


def asset(evidence: Evidence, path: str) -> bytes:
    """A file beside the suite, as the archive keeps it. Raises Settled."""
    if path not in evidence.assets:
        raise unverified(Reason.ASSET_MISSING, seen=cut(path))
    return evidence.assets[path]


def asset_json(evidence: Evidence, path: str) -> JsonValue:
    """A JSON file beside the suite. Raises Settled."""
    try:
        return strictjson.read(asset(evidence, path).decode("utf-8-sig"))
    except ValueError as error:
        raise unverified(Reason.SCHEMA_UNUSABLE, seen=f"{cut(path)} is not JSON") from error


def universal(text: str) -> str:
    """`text` with every line end a newline."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def shown(data: bytes) -> str:
    """The beginning of a file's bytes, for people."""
    return beginning(data[:1_000].decode("utf-8", "replace"))
