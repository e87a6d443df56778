"""JSON-RPC 2.0: bytes to messages, and the envelopes of answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from skilltrial.replies.strictjson import NotStrict, read

from .revisions import INVALID_REQUEST, PARSE_ERROR

if TYPE_CHECKING:
    from pydantic import JsonValue

Id = int | str
Params = dict[str, "JsonValue"]


class Request(NamedTuple):
    """A message that wants an answer."""

    id: Id
    method: str
    params: Params

    @property
    def meta(self) -> Params:
        """What came in `_meta`; empty where nothing did."""
        meta = self.params.get("_meta")
        return meta if isinstance(meta, dict) else {}


class Notification(NamedTuple):
    """A message that wants none."""

    method: str
    params: Params


class Reply:
    """An answer of the client's to a request of ours; we make none."""


class Failure(NamedTuple):
    """An error that is answered. `id` is None where it is not known, `why` the word for the record."""

    code: int
    message: str
    why: str
    data: JsonValue = None
    id: Id | None = None


Message = Request | Notification | Reply | Failure


def parse(data: bytes | str) -> JsonValue | Failure:
    """Read the JSON of one or several messages; a Failure where it is none."""
    try:
        value = read(data)
    except NotStrict as error:
        return Failure(PARSE_ERROR, f"Parse error: {error}", "not_json")
    return value


def message(value: JsonValue) -> Message:
    """Tell what a JSON value is as a message."""
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        return _invalid("not a JSON-RPC 2.0 message")
    if "method" not in value:
        known = "id" in value and ("result" in value) != ("error" in value)
        return Reply() if known else _invalid("neither a request nor a response")
    method, params = value["method"], value.get("params", {})
    id = value.get("id")
    usable = id if isinstance(id, int | str) and not isinstance(id, bool) else None
    if not isinstance(method, str):
        return _invalid("`method` must be a string", usable)
    if not isinstance(params, dict):
        return _invalid("`params` must be an object", usable)
    if "id" not in value:
        return Notification(method, params)
    if usable is None:
        return _invalid("`id` must be a string or an integer")
    return Request(usable, method, params)


def result(id: Id, members: JsonValue) -> JsonValue:
    """The envelope of a result."""
    return {"jsonrpc": "2.0", "id": id, "result": members}


def error(id: Id | None, failure: Failure) -> JsonValue:
    """The envelope of an error."""
    members: dict[str, JsonValue] = {"code": failure.code, "message": failure.message}
    if failure.data is not None:
        members["data"] = failure.data
    return {"jsonrpc": "2.0", "id": id, "error": members}


def notification(method: str, params: Params | None = None) -> JsonValue:
    """The envelope of a notification."""
    body: dict[str, JsonValue] = {"jsonrpc": "2.0", "method": method}
    return body if params is None else {**body, "params": params}


def _invalid(what: str, id: Id | None = None) -> Failure:
    return Failure(INVALID_REQUEST, f"Invalid request: {what}", "not_a_message", id=id)
