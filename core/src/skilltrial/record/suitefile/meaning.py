"""Faults of meaning: names that nothing has, ids given twice, promises that can't be kept."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from skilltrial.model.gates import RULES
from skilltrial.model.words import BUILT_IN_AGENTS, VerdictKind
from skilltrial.record.passing import OURS

from .document import Faults, Path, as_dict, as_list
from .expansion import CaseExpansion, Expansion
from .paths import path_fault
from .settings import WORKSPACE_HINT
from .wording import meant, named

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PROGRAM = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
_FILE_KEYS = {"folder", "files", "git", "ref", "path"}


class Meaning:
    """Checks the long form of one suite; `fixture_kinds` and `answerers` are those that are installed."""

    def __init__(
        self, faults: Faults, expansion: Expansion, fixture_kinds: Collection[str], answerers: Collection[str]
    ) -> None:
        self._faults = faults
        self._long = expansion.long
        self._cases = expansion.cases
        self._default_arms = expansion.default_arms
        self._kinds = tuple(fixture_kinds)
        self._answerers = tuple(answerers)
        self._skills = {
            skill["id"]: bool(skill.get("previous"))
            for skill in self._long["skills"]
            if isinstance(skill, dict) and isinstance(skill.get("id"), str)
        }
        self._arms = tuple(arm["id"] for arm in self._long["arms"] if isinstance(arm.get("id"), str))
        self._fixtures = as_dict(self._long.get("fixtures"))

    def check(self) -> None:
        """Note every fault of meaning."""
        self._unique("skill", self._long["skills"], ("skills",))
        self._unique("arm", self._long["arms"], ("arms",))
        self._check_arms()
        if self._arms:
            self._known("the gate names an", "arm", self._long["gate"].get("arm"), self._arms, ("gate", "arm"))
        self._check_gate()
        for at, name in enumerate(as_list(self._long.get("env"))):
            if not isinstance(name, str):
                continue  # said by its form
            if not _VARIABLE.fullmatch(name):
                self._faults.add(
                    ("env", at), "this is no name of an environment variable", "give names only, no values"
                )
            elif name in OURS:
                self._faults.add(("env", at), f"{name} can't be passed: each place has its own", "leave it out")
        self._no_nul(self._long.get("allow"), ("allow",))
        self._check_fixtures(self._fixtures, ("fixtures",), {})
        self._check_plugin(as_dict(self._long.get("plugin")))
        for name, written in self._fixtures.items():
            answerer = as_dict(written).get("answerer")
            if isinstance(answerer, str):
                self._known(
                    "the fixture names an", "answerer", answerer, self._answerers, ("fixtures", name, "answerer")
                )
        if isinstance(self._faults.document.at(("cases",)), list):
            self._unique("case", [case.long for case in self._cases], ("cases",))
        for case in self._cases:
            self._check_case(case)

    def _unique(self, noun: str, things: Iterable[object], path: Path) -> None:
        seen: dict[str, int] = {}
        for at, thing in enumerate(things):
            id = as_dict(thing).get("id")
            if not isinstance(id, str):
                continue
            if id in seen:
                first = self._faults.document.mark((*path, seen[id], "id"))
                self._faults.add(
                    (*path, at, "id"), f"two {noun}s have the id{named(id)}", f"the other stands on line {first.line}"
                )
            seen.setdefault(id, at)

    def _no_nul(self, texts: object, path: Path) -> None:
        """No program can be given a NUL, neither as an argument nor in a command."""
        for at, text in enumerate(as_list(texts)):
            if isinstance(text, str) and "\0" in text:
                place = (*path, at) if isinstance(self._faults.document.at(path), list) else path
                self._faults.add(place, "the text holds a NUL character", "remove it")

    def _known(
        self, what: str, noun: str, name: object, known: Collection[str], path: Path, *, key: bool = False
    ) -> None:
        if isinstance(name, str) and name not in known:
            self._faults.add(path, f"{what} unknown {noun}{named(name)}".lstrip(), meant(name, known), key=key)

    def _check_gate(self) -> None:
        rules = [name for name in RULES if name in self._long["gate"]]
        for name in rules[1:]:
            self._faults.add(("gate", name), "a gate decides by one rule", f"leave out `{rules[0]}` or this", key=True)
        if "majority_of" in rules and self._long.get("attempts", 1) != 1:
            self._faults.add(
                ("attempts",), "`majority_of` repeats a case that fails by itself", "leave `attempts` out", key=True
            )

    def _check_plugin(self, plugin: dict[str, object]) -> None:
        for name, value in as_dict(plugin.get("variables")).items():
            place = ("plugin", "variables", name)
            if not _VARIABLE.fullmatch(name):
                what = "this is no name of an environment variable"
                self._faults.add(place, what, "write `NAME: fixture`, or `NAME: fixture/path`", key=True)
            fixture = value.partition("/")[0] if isinstance(value, str) else None
            self._known("the variable names an", "fixture", fixture, tuple(self._fixtures), place)
        for at, name in enumerate(as_list(plugin.get("programs"))):
            if isinstance(name, str) and not _PROGRAM.fullmatch(name):
                what = "this is no name of a program on PATH"
                self._faults.add(("plugin", "programs", at), what, "give names only, such as `python3`")

    def _check_arms(self) -> None:
        if self._default_arms:
            if not self._long["skills"] and not self._faults.document.at(("skills",)):
                self._faults.add(
                    (),
                    "there is no skill to compare: no `skills`, and no folder with a SKILL.md beside the suite file",
                    "list the skill: `skills: [{id: NAME, folder: FOLDER}]`",
                )
            return
        for at, arm in enumerate(as_list(self._faults.document.at(("arms",)))):
            self._check_arm(as_dict(arm), ("arms", at))

    def _check_arm(self, arm: dict[str, object], path: Path) -> None:
        if arm.get("from") == "previous" and not any(self._skills.values()):
            self._faults.add((*path, "from"), "no skill has a `previous`", "add `previous` to the skill", key=True)
        taken: set[str] = set()
        for at, name in enumerate(as_list(arm.get("skills"))):
            if not isinstance(name, str):
                continue
            place = (*path, "skills", at)
            id = name.removesuffix("@previous")
            self._known("an arm names the", "skill", id, tuple(self._skills), place)
            if id != name and id in self._skills and not self._skills[id]:
                self._faults.add(place, f"skill{named(id)} has no `previous`", "add it to the skill")
            if id in taken:
                self._faults.add(place, f"the arm names the skill{named(id)} twice", "name it once")
            taken.add(id)

    def _check_fixtures(self, fixtures: dict[str, object], path: Path, above: dict[str, object]) -> None:
        for name, written in fixtures.items():
            place = (*path, name)
            use = as_dict(written).get("use")
            if name not in above and (isinstance(written, str) or (use is None and _names_files(name, written))):
                self._faults.settle(place, "`fixtures` are servers here", WORKSPACE_HINT, key=True)
            elif isinstance(use, str):
                if use not in self._kinds:
                    self._faults.add(
                        (*place, "use"), f"unknown fixture kind{named(use)}", meant(use, self._kinds, label="installed")
                    )
            elif name not in above and isinstance(written, dict) and path[0] == "cases":
                self._faults.add(
                    place, f"unknown fixture{named(name)}", meant(name, tuple(above), label="the suite's"), key=True
                )

    def _check_case(self, case: CaseExpansion) -> None:
        own = as_dict(case.long.get("fixtures"))
        self._check_fixtures(own, (*case.path, "fixtures"), self._fixtures)
        if isinstance(case.long.get("fixtures"), str | list):
            self._faults.settle(case.place("fixtures"), "`fixtures` are servers here", WORKSPACE_HINT, key=True)
        for key in ("turns", "setup", "after"):
            self._no_nul(case.long.get(key), case.place(key))
        self._check_checks(case)
        self._unique("rehearsal", as_list(case.long.get("rehearsals")), (*case.path, "rehearsals"))
        for at, rehearsal in enumerate(as_list(case.long.get("rehearsals"))):
            self._check_rehearsal(as_dict(rehearsal), (*case.path, "rehearsals", at), case)

    def _check_checks(self, case: CaseExpansion) -> None:
        seen: dict[str, Path] = {}
        turns = len(as_list(case.long.get("turns")))
        for check in case.checks:
            id = check.long.get("id")
            if isinstance(id, str):
                if id in seen:
                    line = self._faults.document.mark(seen[id]).line
                    self._faults.add(
                        (*check.path, "id"), f"two checks have the id{named(id)}", f"the other stands on line {line}"
                    )
                seen.setdefault(id, check.path)
            self._arm_list(check.long.get("arms"), (*check.path, "arms"))
            for command in check.options.commands() if check.options else ():
                if command not in as_list(case.long.get("after")):
                    told = "the check asks about a command that the case's `after` does not have"
                    self._faults.add(check.path, told, "add it there, to the letter")
            turn = check.long.get("turn")
            if isinstance(turn, int) and turn > turns > 0:
                self._faults.add((*check.path, "turn"), f"the case has no turn {turn}", f"it has {turns}")

    def _arm_list(self, arms: object, path: Path) -> None:
        for at, arm in enumerate(as_list(arms)):
            self._known("", "arm", arm, self._arms, (*path, at))

    def _check_rehearsal(self, rehearsal: dict[str, object], path: Path, case: CaseExpansion) -> None:
        self._arm_list(rehearsal.get("arms"), (*path, "arms"))
        if (id := rehearsal.get("id")) in BUILT_IN_AGENTS:
            self._faults.add(
                (*path, "id"), f"`{id}` is one of the agents that play in every case", "call the script otherwise"
            )
        expect = rehearsal.get("expect")
        for arm in as_dict(expect):
            self._known("", "arm", arm, self._arms, (*path, "expect", arm), key=True)
        because = as_list(rehearsal.get("because"))
        ids = [check.long["id"] for check in case.checks if isinstance(check.long.get("id"), str)]
        for at, id in enumerate(because):
            self._known("", "check", id, ids, (*path, "because", at))
            if id in because[:at]:
                self._faults.add((*path, "because", at), f"the check{named(id)} is named twice", "name it once")
        promised = list(expect.values()) if isinstance(expect, dict) else [expect]
        if because and promised and all(verdict == VerdictKind.PASSED for verdict in promised):
            self._faults.add(
                (*path, "because"),
                "`because` says why a trial does not pass, but it is promised to pass",
                "leave it out, or expect another verdict",
                key=True,
            )
        self._check_script(as_list(rehearsal.get("script")), (*path, "script"), case)

    def _check_script(self, script: list[object], path: Path, case: CaseExpansion) -> None:
        servers = (*self._fixtures, *as_dict(case.long.get("fixtures")))
        for at, act in enumerate(script):
            match act:
                case {"read_skill": str(skill)}:
                    self._known("", "skill", skill, tuple(self._skills), (*path, at, "read_skill"))
                case {"call": {"server": str(server)}}:
                    self._known("", "fixture", server, servers, (*path, at, "call", "server"))
                case {"read_file": str(file)}:
                    self._path(file, (*path, at, "read_file"))
                case {"write_file": {"path": str(file)}}:
                    self._path(file, (*path, at, "write_file", "path"))
                case {"edit_file": {"path": str(file)}}:
                    self._path(file, (*path, at, "edit_file", "path"))
                case _:
                    pass

    def _path(self, text: str, place: Path) -> None:
        if text and (fault := path_fault(text)):
            self._faults.add(place, *fault)


def _names_files(name: str, written: object) -> bool:
    """Whether a fixture looks like the files that a case starts from."""
    return "." in name or "/" in name or (isinstance(written, dict) and bool(_FILE_KEYS & written.keys()))
