"""The protocol's revisions, error codes and reserved keys, as the specification writes them."""

from __future__ import annotations

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Revisions that begin with `initialize`, oldest first."""
MODERN = "2026-07-28"
"""The stateless revision: each request says who asks and in which revision."""
UNSAID = "2025-03-26"
"""What a request over HTTP speaks that names no revision."""
BATCHING = "2025-03-26"
"""The one revision in which several messages may come at once."""

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022

MODERN_STATUS = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    UNSUPPORTED_VERSION: 400,
    METHOD_NOT_FOUND: 404,
}
"""HTTP status of an error in the stateless revision; 200 for others."""

META = "io.modelcontextprotocol/"
VERSION_KEY = META + "protocolVersion"
CLIENT_KEY = META + "clientInfo"
CAPABILITIES_KEY = META + "clientCapabilities"
SERVER_KEY = META + "serverInfo"
SUBSCRIPTION_KEY = META + "subscriptionId"

VERSION_HEADER = "mcp-protocol-version"
METHOD_HEADER = "mcp-method"
NAME_HEADER = "mcp-name"

CALL_IDS = ("callId", "claudecode/toolUseId")
"""Keys of a call's `_meta` in which hosts name the call by the id that their own events use."""
