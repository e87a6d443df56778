"""The frozen catalog: every tool of the server under study, as it was captured, with a digest of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from skilltrial.replies.documents import Document, Unreadable, read_document
from skilltrial.replies.faults import Faults
from skilltrial.replies.schemas import SchemaFault, compile_schema
from skilltrial.replies.strictjson import canonical

from .tools import Catalog, Tool

Name = Annotated[str, Field(min_length=1, max_length=200)]


class ServerName(BaseModel):
    """How the server under study called itself."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: Name
    version: Annotated[str, Field(max_length=200)]


class CatalogFile(BaseModel):
    """A catalog as it lies in its file. Tools keep every key that they came with."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    schema_version: Literal[1]
    server: ServerName
    captured: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    """The day of the capture, in UTC."""
    protocol: Name
    """The protocol revision in which the tools were listed."""
    tools: list[dict[str, JsonValue]]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    """Digest of all the rest (see `digest`)."""


def digest(catalog: Mapping[str, JsonValue]) -> str:
    """SHA-256 of a catalog's canonical JSON (sorted keys, no white space, ASCII) without its key `sha256`."""
    return hashlib.sha256(canonical({key: catalog[key] for key in catalog if key != "sha256"})).hexdigest()


def read_catalog(name: str, data: bytes) -> tuple[Catalog | None, list[str]]:
    """Read a catalog; None where it has faults, with a sentence each."""
    try:
        document = read_document(name, data)
    except Unreadable as error:
        return None, [str(error)]
    faults = Faults()
    catalog = _read(document, faults)
    return (None if faults.found else catalog), document.sentences(faults)


def sound_catalog(name: str, data: bytes) -> CatalogFile:
    """A catalog as it lies in its file, in which `read_catalog` has found no fault."""
    return CatalogFile.model_validate(read_document(name, data).value)


def _read(document: Document, faults: Faults) -> Catalog | None:
    try:
        file = CatalogFile.model_validate(document.value)
    except ValidationError as error:
        faults.add_all(error, CatalogFile)
        return None
    if not file.tools:
        faults.add(("tools",), "the catalog has no tools")
    tools: dict[str, Tool] = {}
    for at, raw in enumerate(file.tools):
        tool = _tool(raw, at, faults)
        if tool is None:
            continue
        if tool.name in tools:
            faults.add(("tools", at, "name"), "two tools of the catalog have this name")
        tools[tool.name] = tool
    if isinstance(document.value, dict) and digest(document.value) != file.sha256:
        faults.add(("sha256",), "the catalog was changed since its capture: its digest is another; capture it again")
    return Catalog(file.server.name, file.server.version, tools)


def _tool(raw: dict[str, JsonValue], at: int, faults: Faults) -> Tool | None:
    name = raw.get("name")
    if not isinstance(name, str) or not name:
        faults.add(("tools", at), "a tool needs a `name`")
        return None
    schema = raw.get("inputSchema")
    if not isinstance(schema, dict) or schema.get("type") != "object":
        faults.add(("tools", at, "inputSchema"), "the `inputSchema` of a tool is a JSON Schema whose type is `object`")
        return None
    broken = set()
    for key, one in (("inputSchema", schema), ("outputSchema", raw.get("outputSchema"))):
        try:
            compile_schema(True if one is None else one)
        except SchemaFault as error:
            faults.add(("tools", at, key), str(error))
            broken.add(key)
    # With its faults told, the rest of the tool is still of use for checking the replies.
    return None if "inputSchema" in broken else Tool.of({key: raw[key] for key in raw if key not in broken})
