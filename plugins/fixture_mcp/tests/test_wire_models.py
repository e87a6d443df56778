"""What the server sends is what the official types say, in each revision."""

from __future__ import annotations

from typing import Any

import mcp_types
import pytest
from mcp.shared import subscriptions
from mcp_types import methods, version
from pydantic import TypeAdapter

from skilltrial_fixture_mcp import envelopes, revisions

RULES = """
scripts:
  one:
    rules:
      - {tool: save, reply: {text: x}}
      - {tool: count, reply: {body: {n: 1}}}
      - tool: find
        reply: {content: [{type: text, text: a}, {type: image, data: AA==, mimeType: image/png}], isError: true}
"""
HELLO = {"capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}


def test_revisions_and_codes_are_those_of_the_official_types() -> None:
    assert version.HANDSHAKE_PROTOCOL_VERSIONS == revisions.HANDSHAKE
    assert version.MODERN_PROTOCOL_VERSIONS == (revisions.MODERN,)
    for name in (
        "PARSE_ERROR",
        "INVALID_REQUEST",
        "METHOD_NOT_FOUND",
        "INVALID_PARAMS",
        "INTERNAL_ERROR",
        "HEADER_MISMATCH",
    ):
        assert getattr(mcp_types, name) == getattr(revisions, name)
    assert mcp_types.UNSUPPORTED_PROTOCOL_VERSION == revisions.UNSUPPORTED_VERSION


def test_reserved_keys_are_those_of_the_official_types() -> None:
    assert mcp_types.PROTOCOL_VERSION_META_KEY == revisions.VERSION_KEY
    assert mcp_types.CLIENT_INFO_META_KEY == revisions.CLIENT_KEY
    assert mcp_types.CLIENT_CAPABILITIES_META_KEY == revisions.CAPABILITIES_KEY
    assert mcp_types.SERVER_INFO_META_KEY == revisions.SERVER_KEY
    assert subscriptions.SUBSCRIPTION_ID_META_KEY == revisions.SUBSCRIPTION_KEY


@pytest.mark.parametrize("text", ["save", "Grüße", " edge ", "=?base64?eA==?=", "a\nb", ""])
def test_encoded_headers_are_read_as_the_official_client_writes_them(text: str) -> None:
    from mcp.shared.inbound import encode_header_value

    assert envelopes.decoded(encode_header_value(text)) == text


def same(model: Any, sent: Any) -> None:
    """`sent` is read by an official model, and nothing of it is lost on the way."""
    adapter: TypeAdapter[Any] = TypeAdapter(model)
    read = adapter.validate_python(sent)
    assert adapter.dump_python(read, mode="json", by_alias=True, exclude_unset=True) == sent


@pytest.mark.parametrize("revision", [*revisions.HANDSHAKE, revisions.MODERN])
def test_each_result_fits_the_official_model_of_its_revision(serve: Any, revision: str) -> None:
    client = serve(RULES, instructions="Save often.")
    modern = revision == revisions.MODERN

    def ask(method: str, params: Any = None) -> Any:
        if modern:
            return client.modern(method, params).json()["result"]
        return client.ask(method, params, mcp_protocol_version=revision)["result"]

    opening = "server/discover" if modern else "initialize"
    models = {method: methods.SERVER_RESULTS[method, revision] for method in (opening, "tools/list", "tools/call")}

    same(models[opening], ask(opening, None if modern else HELLO | {"protocolVersion": revision}))
    same(models["tools/list"], ask("tools/list"))
    for name, arguments in (
        ("save", {"text": "x"}),
        ("save", {}),
        ("find", {"query": "q"}),
        ("secret", {}),
        ("count", {}),
    ):
        same(models["tools/call"], ask("tools/call", {"name": name, "arguments": arguments}))


def test_each_error_fits_the_official_envelope(serve: Any) -> None:
    client = serve(RULES)

    bodies: tuple[Any, ...] = (b"{", [], {"jsonrpc": "2.0", "id": "a", "method": "no"}, {"jsonrpc": "2.0", "id": 1})
    for body in bodies:
        same(mcp_types.JSONRPCError, client.post(body).json())
    same(mcp_types.JSONRPCError, client.modern("ping").json())
