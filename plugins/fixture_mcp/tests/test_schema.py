"""The JSON Schema that is shipped for replies files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

from skilltrial_fixture_mcp.schema import make_schema, shipped_schema


def test_the_shipped_schema_is_what_the_models_say() -> None:
    assert shipped_schema() == make_schema()


@pytest.fixture
def checker() -> Draft202012Validator:
    schema = json.loads(shipped_schema())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def test_it_takes_what_the_fixture_takes(checker: Draft202012Validator, data: Path) -> None:
    written = YAML(typ="safe", pure=True).load((data / "guidance.replies.yaml").read_text(encoding="utf-8"))

    assert list(checker.iter_errors(written)) == []


@pytest.mark.parametrize(
    "written",
    [
        {},
        {"scripts": {"One": {"rules": []}}},
        {"scripts": {"one": {}}},
        {"scripts": {"one": {"rules": [{"replay": {}}]}}},
        {"scripts": {"one": {"rules": [{"fault": "explode"}]}}},
        {"scripts": {"one": {"rules": [{"reply": {"is_error": True}}]}}},
    ],
)
def test_it_refuses_what_the_fixture_refuses(checker: Draft202012Validator, written: Any) -> None:
    assert list(checker.iter_errors(written))
