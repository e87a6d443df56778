"""The replies file → what a run plays, or its faults."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import PurePosixPath

from pydantic import JsonValue, ValidationError

from skilltrial.replies.documents import Unreadable, read_document
from skilltrial.replies.faults import Faults, Path
from skilltrial.replies.fitting import Schema
from skilltrial.replies.schemas import SchemaFault, compile_schema
from skilltrial.replies.scripts import check_includes, included
from skilltrial.replies.templates import compile_template, template_faults

from .playing import Play, PlayedRule, Text
from .replies import RepliesFile, Reply, Rule

ENDS = ("reply", "fault", "forward")


def prepare(programs: Collection[str], name: str, data: bytes) -> tuple[dict[str, Play], list[str]]:
    """Read a replies file for these programs; no plays where it has faults, with a sentence each."""
    try:
        document = read_document(name, data)
    except Unreadable as error:
        return {}, [str(error)]
    faults = Faults()
    plays = _plays(programs, document.value, faults)
    sentences = document.sentences(faults)
    return ({} if sentences else plays), sentences


def _plays(programs: Collection[str], value: JsonValue, faults: Faults) -> dict[str, Play]:
    try:
        file = RepliesFile.model_validate(value)
    except ValidationError as error:
        faults.add_all(error, RepliesFile)
        return {}
    if not file.scripts:
        faults.add(("scripts",), "there must be at least one script")
    written = {name: script.rules for name, script in file.scripts.items()}
    check_includes(written, faults)
    made = {
        name: [_rule(rule, ("scripts", name, "rules", at), programs, faults) for at, rule in enumerate(rules)]
        for name, rules in written.items()
    }
    if faults.found:
        return {}
    return {
        name: Play(script.state, tuple(rule for rule in included(name, written, made) if rule is not None))
        for name, script in file.scripts.items()
    }


def _rule(rule: Rule, place: Path, programs: Collection[str], faults: Faults) -> PlayedRule | None:
    if rule.include is not None:
        return None
    named = [rule.program] if isinstance(rule.program, str) else rule.program
    if any(name not in programs for name in named or ()):
        faults.add((*place, "program"), "this is none of the fixture's `programs`")
    given = [end for end in ENDS if getattr(rule, end) is not None]
    if len(given) != 1:
        faults.add(place, "a rule has exactly one of `reply`, `fault` and `forward`")
    if rule.argv is not None and rule.begins is not None:
        faults.add((*place, "begins"), "`argv` says all arguments already")
    reply = rule.reply or Reply()
    for path, says in (*_faults_of(reply, (*place, "reply")), *template_faults(rule.set, (*place, "set"))):
        faults.add(path, says)
    arguments = _schema(rule.arguments, (*place, "arguments"), faults)
    state = _schema(rule.state, (*place, "state"), faults)
    if faults.found:
        return None
    as_json = "json_" in reply.model_fields_set
    return PlayedRule(
        programs=None if named is None else frozenset(named),
        exactly=None if rule.argv is None else tuple(rule.argv),
        begins=tuple(rule.begins or ()),
        arguments=arguments,
        state=state,
        set={key: compile_template(one) for key, one in rule.set.items()},
        delay=rule.delay,
        stdout=Text(compile_template(reply.json_ if as_json else reply.stdout), as_json),
        stderr=Text(compile_template(reply.stderr)),
        exit=reply.exit,
        files={path: Text(compile_template(text)) for path, text in reply.files.items()},
        fault=rule.fault,
        forward=rule.forward is not None,
    )


def _faults_of(reply: Reply, place: Path) -> Iterator[tuple[Path, str]]:
    if {"stdout", "json_"} <= reply.model_fields_set:
        yield (*place, "json"), "a reply prints either `stdout` or `json`"
    yield from template_faults(reply.json_, (*place, "json"))
    for key, text in (("stdout", reply.stdout), ("stderr", reply.stderr)):
        yield from _text_faults(text, (*place, key))
    for path, text in reply.files.items():
        steps = PurePosixPath(path).parts
        if not steps or path.startswith("/") or ".." in steps or "\0" in path:
            yield (*place, "files"), "the path of a file leads below the folder of the call: no `/` first, no `..`"
        yield from _text_faults(text, (*place, "files", path))


def _text_faults(text: JsonValue, place: Path) -> Iterator[tuple[Path, str]]:
    parts: Sequence[JsonValue] = text if isinstance(text, list) else [text]
    if not all(isinstance(part, str | dict) for part in parts):
        yield place, "a text is wanted here, or a list of its parts"
    yield from template_faults(text, place)


def _schema(schema: JsonValue, place: Path, faults: Faults) -> Schema | None:
    if schema is True:
        return None
    try:
        return compile_schema(schema)
    except SchemaFault as error:
        faults.add(place, str(error))
        return None
