"""Which model the operator's own sessions ask: looked up, and nothing else of the settings told."""

from __future__ import annotations

from pathlib import Path

import pytest

from skilltrial_host_claude.operators import own_model


@pytest.mark.parametrize(
    ("settings", "model"),
    [('{"model": "opus"}', "opus"), ('{"model": " "}', None), ('{"model": 1}', None), ("[]", None), ("{", None)],
)
def test_the_settings_name_it(tmp_path: Path, settings: str, model: str | None) -> None:
    (tmp_path / "settings.json").write_text(settings, "utf-8")

    assert own_model({"CLAUDE_CONFIG_DIR": str(tmp_path)}) == model


def test_a_variable_beats_the_settings_and_nothing_is_nothing(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text('{"model": "opus"}', "utf-8")

    assert own_model({"HOME": str(tmp_path), "ANTHROPIC_MODEL": "haiku"}) == "haiku"
    assert own_model({"HOME": str(tmp_path)}) == "opus"
    assert own_model({"HOME": str(tmp_path / "nobody")}) is None
