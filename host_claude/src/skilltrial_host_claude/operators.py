"""What the operator's own sessions are set to; a trial has its own state folder and sees none of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path


def own_model(ours: Mapping[str, str]) -> str | None:
    """The model that the operator's variables or settings name. Only looks, and tells nothing else of them."""
    if named := ours.get("ANTHROPIC_MODEL", "").strip():
        return named
    home = Path(ours.get("HOME") or Path.home())
    state = Path(ours["CLAUDE_CONFIG_DIR"]) if ours.get("CLAUDE_CONFIG_DIR") else home / ".claude"
    try:
        settings = json.loads((state / "settings.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    model = settings.get("model") if isinstance(settings, dict) else None
    return model.strip() or None if isinstance(model, str) else None
