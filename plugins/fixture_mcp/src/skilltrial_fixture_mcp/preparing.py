"""The fixture's files → what a run plays, or their faults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pydantic import JsonValue, ValidationError

from skilltrial.replies.documents import Document, Unreadable, read_document
from skilltrial.replies.faults import Faults, Path
from skilltrial.replies.schemas import Schema, SchemaFault, compile_schema
from skilltrial.replies.scripts import check_includes, included
from skilltrial.replies.templates import compile_template, template_faults

from .aliases import Aliases, present, renamed
from .answers import Answering
from .catalog import Catalog, Tool, read_catalog
from .playing import Play, PlayedRule
from .replies import RepliesFile, Reply, Route, Rule, Script
from .routes import play_route, route_faults


@dataclass(frozen=True, slots=True)
class Prepared:
    """A catalog and the scripts that are played on it."""

    catalog: Catalog
    plays: Mapping[str, Play]


FORWARDED = "forwarded"
"""The one script, an empty one, where there are no replies: a real server answers."""


def prepare(
    catalog: str, replies: str | None, assets: Mapping[str, bytes], aliases: Aliases | None = None
) -> tuple[Prepared | None, list[str]]:
    """Read both files, named as in `assets`; None where they have faults, with a sentence each.

    `aliases` are other names of tools: a rule means the tool under the name that the catalog has.
    """
    offered, sentences = read_catalog(catalog, assets[catalog])
    if replies is None:
        nothing = Play({}, frozenset(), dict.fromkeys(offered.tools if offered else (), ()))
        return (None if offered is None else Prepared(offered, {FORWARDED: nothing})), sentences
    try:
        document = read_document(replies, assets[replies])
    except Unreadable as error:
        return None, [*sentences, str(error)]
    faults = Faults()
    plays = _Reader(offered, faults, present(offered.tools if offered else (), aliases or {})).read(document)
    sentences += document.sentences(faults)
    return (None if sentences or offered is None else Prepared(offered, plays)), sentences


class _Reader:
    """Reads a replies file against a catalog; without one, only what needs none is checked."""

    def __init__(self, catalog: Catalog | None, faults: Faults, names: Mapping[str, str]) -> None:
        self.catalog = catalog
        self.faults = faults
        self.names = names
        """Tool → the name that the catalog has in its place."""

    def read(self, document: Document) -> dict[str, Play]:
        try:
            file = RepliesFile.model_validate(document.value)
        except ValidationError as error:
            self.faults.add_all(error, RepliesFile)
            return {}
        if not file.scripts:
            self.faults.add(("scripts",), "there must be at least one script")
        rules = {
            name: [
                self._rule(renamed(rule, self.names), ("scripts", name, "rules", at))
                for at, rule in enumerate(script.rules)
            ]
            for name, script in file.scripts.items()
        }
        written = {name: script.rules for name, script in file.scripts.items()}
        check_includes(written, self.faults)
        for name, script in file.scripts.items():
            self._check_script(name, script)
        if self.faults.found or self.catalog is None:
            return {}
        return {
            name: self._play(script, [*included(name, written, rules)], _routes(name, file.scripts))
            for name, script in file.scripts.items()
        }

    def _hidden(self, script: Script) -> list[str]:
        return [self.names.get(tool, tool) for tool in script.hidden]

    def _check_script(self, name: str, script: Script) -> None:
        self._check_tools(self._hidden(script), ("scripts", name, "hidden"))
        for at, route in enumerate(script.routes):
            for path, says in route_faults(route, ("scripts", name, "routes", at)):
                self.faults.add(path, says)

    def _rule(self, rule: Rule, place: Path) -> tuple[Rule, Schema | None, Schema | None]:
        if rule.include is not None:
            return rule, None, None
        tools = [rule.tool] if isinstance(rule.tool, str) else (rule.tool or [])
        self._check_tools(tools, (*place, "tool"))
        self._check_tools(rule.hide, (*place, "hide"))
        self._check_tools(rule.show, (*place, "show"))
        self._check_template(rule.set, (*place, "set"))
        if (rule.reply is None) == (rule.fault is None):
            self.faults.add(place, "a rule has either a `reply` or a `fault`")
        if rule.reply is not None:
            self._check_reply(rule.reply, tools, (*place, "reply"))
        return (
            rule,
            self._schema(rule.arguments, (*place, "arguments")),
            self._schema(rule.state, (*place, "state")),
        )

    def _check_reply(self, reply: Reply, tools: list[str], place: Path) -> None:
        given = reply.model_fields_set & {"body", "text", "content"}
        if len(given) != 1:
            self.faults.add(place, "a reply has exactly one of `body`, `text` and `content`")
            return
        if "structured" in reply.model_fields_set and "body" in given:
            self.faults.add((*place, "structuredContent"), "`body` is its own structured content; use `text` beside it")
        for key, value in (
            ("body", reply.body),
            ("text", reply.text),
            ("content", reply.content),
            ("structuredContent", reply.structured),
        ):
            self._check_template(value, (*place, key))
        if "text" in given and not isinstance(reply.text, str | dict):
            self.faults.add((*place, "text"), "a text is wanted here")
        for at, block in enumerate(reply.content or ()):
            if not isinstance(block, dict) or not isinstance(block.get("type"), str):
                self.faults.add((*place, "content", at), "a content block is a mapping with a `type`")
        self._check_output(reply, tools, place)

    def _check_output(self, reply: Reply, tools: list[str], place: Path) -> None:
        """A fixed reply that breaks the tool's own output schema would be refused by clients."""
        offered = {} if self.catalog is None else self.catalog.tools
        for tool in filter(None, map(offered.get, tools)):
            if tool.output is None or reply.is_error or self.faults.found:
                continue
            answering = Answering.of(reply, has_output=True)
            if not answering.fixed:
                continue
            misfit = tool.output.where(answering.fill(None, None).sent.get("structuredContent"))
            if misfit is not None:
                self.faults.add(place, f"the reply does not fit the tool's output schema ({misfit})")

    def _check_tools(self, names: list[str], place: Path) -> None:
        if self.catalog is not None and any(name not in self.catalog.tools for name in names):
            self.faults.add(place, "the catalog has no tool of this name")

    def _check_template(self, template: JsonValue, place: Path) -> None:
        for path, says in template_faults(template, place):
            self.faults.add(path, says)

    def _schema(self, schema: JsonValue, place: Path) -> Schema | None:
        if schema is True:
            return None
        try:
            return compile_schema(schema)
        except SchemaFault as error:
            self.faults.add(place, str(error))
            return None

    def _play(
        self, script: Script, rules: list[tuple[Rule, Schema | None, Schema | None]], routes: Iterator[Route]
    ) -> Play:
        tools = {} if self.catalog is None else self.catalog.tools
        return Play(
            state=script.state,
            hidden=frozenset(self._hidden(script)),
            rules={
                name: tuple(_played(rule, tool) for rule in rules if _is_for(rule[0], name))
                for name, tool in tools.items()
            },
            routes=tuple(map(play_route, routes)),
        )


def _played(compiled: tuple[Rule, Schema | None, Schema | None], tool: Tool) -> PlayedRule:
    rule, arguments, state = compiled
    answering = None if rule.reply is None else Answering.of(rule.reply, has_output=tool.output is not None)
    return PlayedRule(
        arguments=arguments,
        state=state,
        set={key: compile_template(value) for key, value in rule.set.items()},
        hide=frozenset(rule.hide),
        show=frozenset(rule.show),
        delay=rule.delay,
        answering=answering,
        answer=answering.fill(None, None) if answering is not None and answering.fixed else None,
        fault=rule.fault,
    )


def _is_for(rule: Rule, tool: str) -> bool:
    return rule.tool is None or rule.tool == tool or (isinstance(rule.tool, list) and tool in rule.tool)


def _routes(name: str, scripts: Mapping[str, Script]) -> Iterator[Route]:
    """The routes of a script, then those of the scripts that it includes."""
    yield from scripts[name].routes
    for rule in scripts[name].rules:
        if rule.include is not None:
            yield from _routes(rule.include, scripts)
