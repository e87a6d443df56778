"""Envelopes and parameters: strict, as the protocol is. A key too many is enough to be refused."""

import json

WORKSPACE = {"workspacePath": str, "workspaceKey": str}
MORE_OF_WORKSPACE = {"workspaceIdentity": object, "remoteSessionId": str}
SELECTION = {"providerId": str, "modelId": str}
MODES = ("plan", "build", "edit", "yolo", "guarded", "auto")
PARAMS = {
    "session/create": (
        {"workspace": "workspace"},
        {
            "mode": MODES, "model": "selection", "thoughtLevel": str, "titleGenerationEnabled": bool,
            "mcpServers": "servers", "toolAllowlist": list, "toolDenylist": list,
            "persistence": ("immediate", "deferred"),
        },
    ),
    "session/resume": (
        {"sessionId": str},
        {"workspace": "workspace", "thoughtLevel": str, "mcpServers": "servers", "toolAllowlist": list},
    ),
    "session/list": ({}, {"workspace": "workspace", "limit": int}),
    "session/subscribe": (
        {"sessionId": str, "deliveryKind": ("desktop-continuous", "web-remote-replayable")},
        {"afterSeq": int, "includeSnapshot": bool},
    ),
    "session/send": (
        {"sessionId": str, "content": str}, {"inputId": str, "queryId": str, "modelSelection": "selection"},
    ),
    "session/events": ({"sessionId": str}, {"afterSeq": int, "limit": int}),
    "session/stop": ({"sessionId": str}, {}),
    "session/close": ({"sessionId": str}, {"expectedPersistence": str}),
    "skills/referenceCatalog": ({"workspace": "workspace"}, {"sessionId": str}),
    "plugins/referenceCatalog": ({"workspace": "workspace"}, {"sessionId": str}),
    "plugins/list": ({"workspace": "workspace"}, {"configScope": str}),
    "mcp/list": ({"workspace": "workspace"}, {"mcpServers": "servers", "mode": ("connect", "status")}),
    "runtime/capabilities": ({}, {}),
}  # fmt: skip


class Refused(Exception):
    """An error that is answered."""

    def __init__(self, code, message, **data):
        super().__init__(message)
        self.error = {"code": code, "message": message, **({"data": data} if data else {})}


def envelope(line):
    """The message of a line. Raises Refused; the id under which that is told is in its data."""
    try:
        message = json.loads(line)
    except ValueError:
        raise Refused(-32700, "Parse error", id="parse-error") from None
    known = {"id", "method", "params", "trace"} if isinstance(message, dict) and "method" in message else None
    known = known or {"id", "result", "error"}
    if not isinstance(message, dict) or set(message) - known or "id" not in message:
        raise Refused(-32600, "Invalid message", id="invalid-message", issues=[])
    return message


def check(method, params):
    """Raises Refused where a request's parameters are not what its schema says."""
    if method not in PARAMS:
        raise Refused(-32601, f"Method not found: {method}")
    needed, optional = PARAMS[method]
    _shape("params", params, needed, optional)


def _shape(path, value, needed, optional):
    if not isinstance(value, dict):
        raise Refused(-32602, f"Invalid params — {path}: Expected object")
    for key in needed:
        if key not in value:
            raise Refused(-32602, f"Invalid params — {path}.{key}: Required")
    for key, one in value.items():
        kind = needed.get(key, optional.get(key))
        if kind is None:
            raise Refused(-32602, f"Invalid params — {path}: Unrecognized key(s) in object: '{key}'")
        _kind(f"{path}.{key}", one, kind)


def _kind(path, value, kind):
    if kind == "workspace":
        _shape(path, value, WORKSPACE, MORE_OF_WORKSPACE)
    elif kind == "selection":
        _shape(path, value, SELECTION, {"options": dict})
    elif kind == "servers":
        _kind(path, value, list)
        for one in value:
            _server(path, one)
    elif isinstance(kind, tuple):
        if value not in kind:
            raise Refused(-32602, f"Invalid params — {path}: Invalid enum value")
    elif not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise Refused(-32602, f"Invalid params — {path}: Expected {kind.__name__}")


def _server(path, one):
    if isinstance(one, dict) and "type" in one:
        _shape(path, one, {"name": str, "type": ("http", "sse"), "url": str, "headers": list}, {"timeoutMs": int})
    else:
        _shape(path, one, {"name": str, "command": str, "args": list, "env": list}, {"timeoutMs": int})
    for pair in one.get("headers", one.get("env", [])):
        _shape(path, pair, {"name": str, "value": str}, {})


def preferences(answer):
    """Whether an answer to `session/requestRuntimePreferences` will do. An error of two kinds means the defaults."""
    if "error" in answer:
        return answer["error"].get("code") in (-32601, -32020)
    result = answer.get("result")
    known = {
        *("nativeSearchEnhancementsEnabled", "memoryEnabled", "askUserQuestionAutoResolutionEnabled"),
        *("integratedTerminalShell", "modelContextBudgetStrategy", "subagentRuntimeConfigEnabled"),
    }
    return isinstance(result, dict) and set(result) <= known and "nativeSearchEnhancementsEnabled" in result


def fits(schema, given):
    """What is wrong with a tool's input, in a list; as much of JSON Schema as tools need."""
    if not isinstance(given, dict):
        return [{"path": "", "message": "Expected object"}]
    properties = schema.get("properties", {})
    wrong = [{"path": key, "message": "Required"} for key in schema.get("required", []) if key not in given]
    kinds = {"string": str, "object": dict, "array": list, "boolean": bool, "integer": int, "number": (int, float)}
    for key, value in given.items():
        if key not in properties:
            if schema.get("additionalProperties") is False:
                wrong.append({"path": key, "message": "Unrecognized key"})
            continue
        kind = kinds.get(properties[key].get("type")) if isinstance(properties[key].get("type"), str) else None
        if kind is not None and (not isinstance(value, kind) or (kind is not bool and isinstance(value, bool))):
            wrong.append({"path": key, "message": "Wrong type"})
    return wrong
