"""A suite's long form as YAML that reads again to the same suite."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from enum import Enum
from typing import Any

from pydantic import BaseModel
from ruamel.yaml import YAML
from ruamel.yaml.representer import SafeRepresenter

from skilltrial.model.suite import Case, Suite

_READS_AS_TEXT = re.compile(r"[A-Za-z_][A-Za-z0-9_ ./@()-]*[A-Za-z0-9_.)]|[A-Za-z_]")
_WORDS = frozenset(("true", "false", "null", "yes", "no", "on", "off", "y", "n"))
_PRINTABLE_LINES = re.compile(r"(?:[\x20-\x7e\u00a1-\u024f\u0370-\u03ff\u0400-\u04ff]*\n)+")


def expand_text(suite: Suite) -> str:
    """The long form of `suite` as YAML, in the order of the models, every default written out."""
    yaml = YAML(typ="safe", pure=True)
    yaml.Representer = _Representer
    yaml.default_flow_style = False
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    yaml.allow_unicode = True
    yaml.width = 1_000_000
    out = io.StringIO()
    yaml.dump(plain(suite), out)
    return out.getvalue()


def plain(value: object) -> Any:
    """A model as JSON values, without the fields that hold nothing; a grader's options stay as they are."""
    if isinstance(value, BaseModel):
        fields = {
            name: plain(getattr(value, name))
            for name, field in type(value).model_fields.items()
            if getattr(value, name) is not None or field.default is not None
        }
        if isinstance(value, Case) and value.observe:
            del fields["checks"]
        return {**fields, **(value.__pydantic_extra__ or {})}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    return value


class _Representer(SafeRepresenter):
    """Quotes whatever YAML's many dialects do not agree to be text; several lines become a block."""

    def text(self, value: str) -> Any:
        style: str | None = '"'
        if _READS_AS_TEXT.fullmatch(value) and value.lower() not in _WORDS:
            style = None
        elif _PRINTABLE_LINES.fullmatch(value) and not value.startswith((" ", "\n")) and not value.endswith("\n\n"):
            style = "|"
        return self.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    def ignore_aliases(self, data: object) -> bool:
        return True


_Representer.add_representer(str, _Representer.text)
