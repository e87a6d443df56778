"""Checks: from what people write to a check's long form and its grader's option model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import ValidationError

from skilltrial.model.checks import CheckOptions
from skilltrial.model.errors import InvalidRequest
from skilltrial.plugins.facades import GraderFacade
from skilltrial.plugins.graders import choose, fit
from skilltrial.plugins.installing import how_to_add

from .document import Faults, Path
from .paths import path_fault
from .wording import WANTED, Setting, close_to, explain, meant, not_wanted, shown
from .written import CHECK_KEYS


class GraderDirectory(Protocol):
    """Where graders are found by name."""

    def names(self) -> tuple[str, ...]:
        """The names of the installed graders."""

    def find(self, name: str) -> GraderFacade:
        """The grader called `name`. Raises PluginNotFound."""


@dataclass
class ReadCheck:
    """A check that was read: its long form, where it was written, and its options if they fit."""

    long: dict[str, Any]
    path: Path
    places: dict[str, Path] = field(default_factory=dict)
    """Option → where it was written."""
    options: CheckOptions | None = None

    def place_of(self, text: str) -> Path:
        """Where the check names this path."""
        for key, place in self.places.items():
            value = self.long.get(key)
            if value == text:
                return place
            if isinstance(value, list) and text in value:
                return (*place, value.index(text))
        return self.path


class CheckReader:
    """Reads the checks of a suite; faults go to `faults`."""

    def __init__(self, faults: Faults, graders: GraderDirectory) -> None:
        self._faults = faults
        self._graders = graders
        self._names = graders.names()

    def read_all(self, written: object, path: Path) -> list[ReadCheck]:
        """The checks of one case. Missing ids become `files-1`, `files-2` …"""
        checks = [self._read(one, (*path, at)) for at, one in enumerate(written if isinstance(written, list) else ())]
        taken = {check.long["id"] for check in checks if isinstance(check.long.get("id"), str)}
        counts: dict[str, int] = {}
        for check in checks:
            grader = check.long.get("grader")
            if "id" in check.long or not isinstance(grader, str):
                continue
            counts[grader] = counts.get(grader, 0) + 1
            while f"{grader}-{counts[grader]}" in taken:
                counts[grader] += 1
            check.long = {"id": f"{grader}-{counts[grader]}", **check.long}
        return checks

    def _read(self, written: object, path: Path) -> ReadCheck:
        if not isinstance(written, dict):
            return ReadCheck({}, path)
        common = {key: value for key, value in written.items() if key in CHECK_KEYS}
        extra = [key for key in written if key not in CHECK_KEYS]
        check = ReadCheck(common, path)
        short = "grader" not in written
        name = next(iter(extra), None) if short else common["grader"]
        if name is None:
            return check
        facade = self._find(name, path, extra, short=short)
        if facade is None:
            return check
        common["grader"] = facade.name
        # `{id: x, grader: files, files: a.txt, …}` says it twice, and clearly.
        if short or (facade.name in extra and not _has_option(facade, facade.name)):
            self._take_short(check, facade, written)
        else:
            self._take_long(check, facade, extra, written)
        return check

    def _installed(self) -> str:
        return ", ".join(self._names) or "no grader is installed"

    def _find(self, name: object, path: Path, extra: list[str], *, short: bool) -> GraderFacade | None:
        place = (*path, name) if short and isinstance(name, str) else (*path, "grader")
        if not isinstance(name, str):
            return None
        if name not in self._names:
            later = next((key for key in extra if key in self._names), None)
            if short and later:
                self._faults.add(
                    place, f"{shown(name)} names no grader", f"write `{later}` before the grader's options", key=True
                )
            else:
                told = f" {shown(name)}" if shown(name) != "a key" else ""
                self._faults.add(place, f"unknown grader{told}", self._instead(name), key=short)
            return None
        try:
            return self._graders.find(name)
        except InvalidRequest as error:
            self._faults.add(place, f"grader `{name}` can't be used", str(error), key=short)
            return None

    def _instead(self, name: str) -> str:
        if name in ("type", "kind", "scorer"):
            return f"a check's first key is its grader: {self._installed()}"
        told = meant(name, self._names, label="installed")
        return told if close_to(name, self._names) or shown(name) == "a key" else f"{told}; {how_to_add()}"

    def _take_long(self, check: ReadCheck, facade: GraderFacade, extra: list[str], written: dict[str, Any]) -> None:
        options = {key: written[key] for key in extra}
        check.places = {key: (*check.path, key) for key in extra}
        self._options(check, facade, options)

    def _take_short(self, check: ReadCheck, facade: GraderFacade, written: dict[str, Any]) -> None:
        first = facade.name
        rest = [key for key in written if key not in CHECK_KEYS and key != first]
        value = written[first]
        options = {key: written[key] for key in rest}
        check.places = {key: (*check.path, key) for key in rest}
        if isinstance(value, dict):
            for key in value:
                if key in CHECK_KEYS:
                    place = (*check.path, first, key)
                    self._faults.add(place, f"`{key}` belongs to the check", f"write it beside `{first}`", key=True)
                if key in options:
                    self._faults.add(check.places[key], f"{shown(key)} is given twice", "keep one of them", key=True)
                check.places[key] = (*check.path, first, key)
            self._options(check, facade, {**options, **{key: value[key] for key in value if key not in CHECK_KEYS}})
            return
        models = [model for model in facade.check_models() if model.subject]
        if not models:
            self._faults.add(
                (*check.path, first), f"a {facade.name} check has no short form", "write its options as a mapping"
            )
            return
        model = max(models, key=lambda one: fit(one, {**options, str(one.subject): value}))
        subject = str(model.subject)
        if subject in options:
            self._faults.add(
                check.places[subject], f"`{subject}` is given twice", f"`{first}` gives it already", key=True
            )
        check.places[subject] = (*check.path, first)
        self._options(check, facade, {subject: value, **options}, model)

    def _options(
        self,
        check: ReadCheck,
        facade: GraderFacade,
        options: dict[str, Any],
        model: type[CheckOptions] | None = None,
    ) -> None:
        check.long.update(options)
        model = model or choose(facade.check_models(), options)
        try:
            check.options = model.model_validate_json(json.dumps(options))
        except ValidationError as error:
            self._option_faults(check, facade.name, model, error)
            return
        self._check_paths(check)

    def _option_faults(self, check: ReadCheck, grader: str, model: type[CheckOptions], error: ValidationError) -> None:
        setting = Setting(f"a {grader} check", tuple(field.alias or key for key, field in model.model_fields.items()))
        placed = [(self._place(check, one["loc"]), one) for one in error.errors(include_url=False, include_input=False)]
        # Of the members of a union, the one that went deepest was meant; members that stopped alike are told as one.
        found: dict[Path, list[tuple[str | int | None, Mapping[str, Any]]]] = {}
        for (path, inside), one in placed:
            if not any(len(other) > len(path) and other[: len(path)] == path for (other, _), _ in placed):
                found.setdefault(path, []).append((inside, one))
        for path, errors in found.items():
            # A member that took the type and refused the value was meant as well.
            fitting = [(inside, one) for inside, one in errors if one["type"] not in WANTED] or errors
            inside, first = fitting[0]
            wanted = " or ".join(dict.fromkeys(filter(None, (WANTED.get(one["type"]) for _, one in fitting))))
            if len(fitting) > 1 and wanted:
                self._faults.add(path, *not_wanted(inside, wanted, setting, self._faults.document.at(path)))
            else:
                self._option_fault(check, setting, path, inside, first)

    def _option_fault(
        self, check: ReadCheck, setting: Setting, path: Path, inside: str | int | None, error: Mapping[str, Any]
    ) -> None:
        kind = error["type"]
        if kind in ("value_error", "assertion_error"):
            what, right = f"the options of {setting.noun} do not fit", self._plugin_text(error, check)
        else:
            document = self._faults.document
            what, right = explain(kind, error.get("ctx", {}), setting, inside, document.at(path))
        self._faults.add(path, what, right, key=kind == "extra_forbidden")

    def _place(self, check: ReadCheck, loc: tuple[str | int, ...]) -> tuple[Path, str | int | None]:
        """Where an option's fault stands; steps that the document does not have (tags of unions) drop out."""
        if not loc:
            return check.path, None
        path = check.places.get(str(loc[0]), (*check.path, loc[0]))
        inside: str | int = loc[0]
        for step in loc[1:]:
            value = self._faults.document.at(path)
            known = step in value if isinstance(value, dict) else isinstance(step, int) and isinstance(value, list)
            if known:
                path, inside = (*path, step), step
        return path, inside

    def _plugin_text(self, error: Mapping[str, Any], check: ReadCheck) -> str:
        """What the grader's own validator says, unless it repeats something of the check."""
        text = str(error.get("ctx", {}).get("error", ""))
        told = [part for part in _texts(check.long) if len(part) > 2 and part not in (check.long.get("grader"),)]
        return "" if any(part in text for part in told) else text.removeprefix("Value error, ")

    def _check_paths(self, check: ReadCheck) -> None:
        if check.options is None:
            return
        for project_path in (*check.options.paths(), *check.options.assets()):
            # A final slash says that a folder is meant.
            if fault := path_fault(project_path.removesuffix("/")):
                self._faults.add(check.place_of(project_path), *fault)


def _has_option(facade: GraderFacade, key: str) -> bool:
    return any(key in model.model_fields for model in facade.check_models())


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for one in value.values() for text in _texts(one)]
    if isinstance(value, list):
        return [text for one in value for text in _texts(one)]
    return []
