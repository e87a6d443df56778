"""What the runtime's operations give, from an inventory: lists return it, saves and schedules change it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from .code.effects import Act, Kind
from .code.running import Undecided
from .code.texts import clean, known_parts
from .code.values import UNKNOWN, Value, of_json
from .inventory import NAME, Inventory, Saved, Setting
from .jsontext import as_doubles
from .operations import Sort, sort_of
from .primitives import GUIDES


class Thrown(Exception):
    """The runtime throws an error, and the code ends there."""


@dataclass(slots=True)
class Runtime:
    """Answers the calls of one program. `calls` are those that it made, `thrown` the error that ended it."""

    inventory: Inventory
    calls: list[JsonValue] = field(default_factory=list)
    ran: list[str] = field(default_factory=list)
    """Names of the saved packages that were run."""
    thrown: str | None = None

    def answer(self, act: Act, arguments: Sequence[Value], *, certain: bool) -> Value:
        """The value of a call. Raises Undecided."""
        if self.thrown is not None:
            return UNKNOWN  # the code has ended before
        if not certain:
            raise Undecided(f"whether {act.name} is called depends on what is not known")
        given = known_parts(arguments[0]) if arguments else None
        try:
            result = self.run(act.name, given) if act.kind is Kind.PACKAGE else self.do(act.name, given)
        except Thrown as error:
            self.thrown = clean(str(error))
            self.calls.append({"call": clean(act.name), "error": self.thrown})
            return UNKNOWN
        self.calls.append({"call": clean(act.name), "result": result})
        return of_json(as_doubles(result))

    def run(self, written: str, given: JsonValue) -> JsonValue:
        """Run a saved package. Raises Thrown where there is none, Undecided where nobody says what it gives."""
        if not written:
            raise Undecided("which package is imported is not known")
        saved = self.inventory.find(written)
        if saved is None:
            raise Thrown(f"Error: there is no saved package {written}")
        if saved.returns is None:
            raise Undecided("the suite does not say what this package returns")
        self.ran.append(saved.name)
        return saved.returns

    def do(self, name: str, given: JsonValue) -> JsonValue:
        """What an operation gives, and what it changes. Raises Thrown and Undecided."""
        if sort_of(name) is Sort.REMOVED:
            raise Thrown(f"TypeError: {name} is not a function")
        operation = _OPERATIONS.get(name.removeprefix("kody."))
        if operation is None:
            raise Undecided(f"{name} is none of the operations that are played here")
        return operation(self, given if isinstance(given, dict) else {})

    def change(self, **fields: object) -> None:
        """Change the inventory."""
        self.inventory = self.inventory.model_copy(update=fields)

    def create(self, kind: str, **fields: JsonValue) -> str:
        """Note that something was created; its id."""
        made = self.inventory.made + 1
        id = f"{kind}-{made}"
        self.change(made=made, created=[*self.inventory.created, {"kind": kind, "id": id, **fields}])
        return id


Given = Mapping[str, JsonValue]
MOST_LETTERS = 200
"""Of the name of a value."""
_NAMES = ("id", "packageId", "package_id", "name", "kodyId", "kody_id", "entity", "package", "target")


def _named(given: Given, *more: str) -> str:
    """The name that an operation was given. Raises Undecided where it is not known."""
    for key in (*more, *_NAMES):
        if isinstance(name := given.get(key), str):
            return name
    raise Undecided("what is asked for is not known")


def _brief(one: Saved) -> JsonValue:
    return {
        "id": one.id,
        "name": one.name,
        "title": one.title,
        "description": one.description,
        "visibility": "public" if one.public else "private",
    }


def _saved(runtime: Runtime, given: Given) -> Saved:
    name = _named(given)
    found = runtime.inventory.find(name)
    if found is None:
        raise Thrown("Error: there is no such package")
    return found


def _list(runtime: Runtime, given: Given) -> JsonValue:
    return [_brief(one) for one in runtime.inventory.saved]


def _get(runtime: Runtime, given: Given) -> JsonValue:
    return _brief(_saved(runtime, given))


def _invoke(runtime: Runtime, given: Given) -> JsonValue:
    return runtime.run(_named(given), given.get("params"))


def _save(runtime: Runtime, given: Given) -> JsonValue:
    named = next((one for key in ("name", "id", "kodyId") if isinstance(one := given.get(key), str)), "")
    known = runtime.inventory.find(named)
    if known is not None:
        return {"id": known.id, "saved": True}
    id = runtime.create("package", name=named[:200] or None)
    title, name = named[:200] or "A package", named if re.fullmatch(NAME, named) else id
    entry = Saved(id=id, name=name, title=title, description="Saved in this session.")
    runtime.change(saved=[*runtime.inventory.saved, entry])
    return {"id": id, "saved": True}


def _delete(runtime: Runtime, given: Given) -> JsonValue:
    gone = _saved(runtime, given)
    runtime.change(saved=[one for one in runtime.inventory.saved if one is not gone])
    return {"deleted": True}


def _values(runtime: Runtime, given: Given) -> JsonValue:
    return [{"name": name, "secret": one.secret} for name, one in runtime.inventory.values.items()]


def _value(runtime: Runtime, given: Given) -> JsonValue:
    name = _named(given, "key")
    found = runtime.inventory.values.get(name)
    if found is None:
        return None
    return {"name": name, "value": None if found.secret else found.value}


def _set(runtime: Runtime, given: Given) -> JsonValue:
    name = _named(given, "key")
    if not 0 < len(name) <= MOST_LETTERS:
        raise Thrown("Error: this is no name of a value")
    runtime.create("value", name=name)
    values = runtime.inventory.values | {name: Setting(value=given.get("value"))}
    runtime.change(values=values)
    return {"saved": True}


def _guide(runtime: Runtime, given: Given) -> JsonValue:
    id = next((one for key in ("id", "guide", "name", "topic") if isinstance(one := given.get(key), str)), "packages")
    text = GUIDES.get(id.removeprefix("guide:"))
    if text is None:
        raise Thrown("Error: there is no such guide")
    return {"id": id, "text": text}


def _schedules(runtime: Runtime, given: Given) -> JsonValue:
    return [*runtime.inventory.schedules]


def _schedule(runtime: Runtime, given: Given) -> JsonValue:
    at = given.get("runAt")
    when = {} if at is None else {"runAt": at}  # a time that is made while the code runs is not known
    id = runtime.create("schedule", **when)
    runtime.change(schedules=[*runtime.inventory.schedules, {"id": id, **when}])
    return {"id": id, **when}


def _open(runtime: Runtime, given: Given) -> JsonValue:
    return {"sessionId": runtime.create("session")}


def _remote(runtime: Runtime, given: Given) -> JsonValue:
    return {"remote": "https://git.example.invalid/package.git", "branch": "main"}


def _source(runtime: Runtime, given: Given) -> JsonValue:
    return {"path": given.get("path"), "text": "export default async function run(params) {\n  return params;\n}\n"}


def _done(word: str) -> Callable[[Runtime, Given], JsonValue]:
    return lambda runtime, given: {word: True}


_OPERATIONS: dict[str, Callable[[Runtime, Given], JsonValue]] = {
    "packageList": _list,
    "packageGet": _get,
    "packageInvoke": _invoke,
    "packageSave": _save,
    "packageDelete": _delete,
    "packageGetGitRemote": _remote,
    "packagePublishExternalPush": _done("published"),
    "repoOpenSession": _open,
    "repoReadFile": _source,
    "repoEditFiles": _done("edited"),
    "repoApplyPatch": _done("applied"),
    "repoWriteFile": _done("written"),
    "repoRunChecks": _done("passed"),
    "repoCommit": _done("committed"),
    "repoPublishSession": _done("published"),
    "codingGuideGet": _guide,
    "valueList": _values,
    "valueGet": _value,
    "valueSet": _set,
    "jobList": _schedules,
    "jobSchedule": _schedule,
    "jobCreate": _schedule,
    "jobUpdate": _done("updated"),
    "jobDelete": _done("deleted"),
    "jobRunNow": _done("started"),
    "emailSend": _done("queued"),
    "workflows.create": _schedule,
    "workflows.list": _schedules,
    "workflows.cancel": _done("cancelled"),
}
"""Those that are forbidden on some route are played too: an attempt must be seen."""
