"""The fixture's files → what a run plays, or their faults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue, ValidationError

from skilltrial.replies.documents import Document, Unreadable, read_document
from skilltrial.replies.faults import Faults, Path
from skilltrial.replies.schemas import SchemaFault, compile_schema
from skilltrial.replies.scripts import check_includes, included
from skilltrial.replies.templates import template_faults
from skilltrial.replies.written import Written

from .aliases import Aliases, present, renamed
from .answers import Answering
from .catalog import read_catalog
from .plain import PlainReply, PlainRoute, PlainRule, PlainScript
from .playing import Play
from .plays import play_of
from .replies import RepliesFile, Reply, Rule, Script
from .route_faults import route_faults
from .tools import Catalog


@dataclass(frozen=True, slots=True)
class Prepared:
    """A catalog and the scripts that are played on it, as plain data and ready to be played."""

    catalog: Catalog
    scripts: Mapping[str, PlainScript]
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
    scripts: dict[str, PlainScript] = {FORWARDED: {"state": {}, "hidden": [], "rules": [], "routes": []}}
    if replies is not None:
        try:
            document = read_document(replies, assets[replies])
        except Unreadable as error:
            return None, [*sentences, str(error)]
        faults = Faults()
        names = present(offered.tools if offered else (), aliases or {})
        scripts = _Reader(offered, faults, names).read(document)
        sentences += document.sentences(faults)
    if sentences or offered is None:
        return None, sentences
    return Prepared(offered, scripts, {name: play_of(script, offered.tools) for name, script in scripts.items()}), []


class _Reader:
    """Reads a replies file against a catalog; without one, only what needs none is checked."""

    def __init__(self, catalog: Catalog | None, faults: Faults, names: Mapping[str, str]) -> None:
        self.catalog = catalog
        self.faults = faults
        self.names = names
        """Tool → the name that the catalog has in its place."""

    def read(self, document: Document) -> dict[str, PlainScript]:
        """The scripts; what they are is of no use where they have faults."""
        try:
            file = RepliesFile.model_validate(document.value)
        except ValidationError as error:
            self.faults.add_all(error, RepliesFile)
            return {}
        if not file.scripts:
            self.faults.add(("scripts",), "there must be at least one script")
        # A rule or a script speaks of tools by any of their names; from here on by those that the catalog has.
        scripts = {name: _renamed(script, self.names) for name, script in file.scripts.items()}
        for name, script in scripts.items():
            for at, rule in enumerate(script.rules):
                self._check_rule(rule, ("scripts", name, "rules", at))
        check_includes({name: script.rules for name, script in scripts.items()}, self.faults)
        for name, script in scripts.items():
            self._check_script(name, script)
        return {} if self.faults.found else _plain(scripts)

    def _check_script(self, name: str, script: Script) -> None:
        self._check_tools(script.hidden, ("scripts", name, "hidden"))
        for at, route in enumerate(script.routes):
            for path, says in route_faults(route, ("scripts", name, "routes", at)):
                self.faults.add(path, says)

    def _check_rule(self, rule: Rule, place: Path) -> None:
        if rule.include is not None:
            return
        tools = [rule.tool] if isinstance(rule.tool, str) else (rule.tool or [])
        self._check_tools(tools, (*place, "tool"))
        self._check_tools(rule.hide, (*place, "hide"))
        self._check_tools(rule.show, (*place, "show"))
        self._check_template(rule.set, (*place, "set"))
        if (rule.reply is None) == (rule.fault is None):
            self.faults.add(place, "a rule has either a `reply` or a `fault`")
        if rule.reply is not None:
            self._check_reply(rule.reply, tools, (*place, "reply"))
        self._check_schema(rule.arguments, (*place, "arguments"))
        self._check_schema(rule.state, (*place, "state"))

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
            answering = Answering.of(cast("PlainReply", _written(reply)), has_output=True)
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

    def _check_schema(self, schema: JsonValue, place: Path) -> None:
        try:
            compile_schema(schema)
        except SchemaFault as error:
            self.faults.add(place, str(error))


def _renamed(script: Script, names: Mapping[str, str]) -> Script:
    rules = [rule if rule.include is not None else renamed(rule, names) for rule in script.rules]
    return script.model_copy(update={"rules": rules, "hidden": [names.get(tool, tool) for tool in script.hidden]})


def _plain(scripts: Mapping[str, Script]) -> dict[str, PlainScript]:
    rules = {name: script.rules for name, script in scripts.items()}
    written = {name: [cast("PlainRule", _written(rule)) for rule in own] for name, own in rules.items()}
    return {
        name: {
            "state": script.state,
            "hidden": script.hidden,
            "rules": [*included(name, rules, written)],
            "routes": [*_routes(name, scripts)],
        }
        for name, script in scripts.items()
    }


def _written(part: Written) -> JsonValue:
    """A part of the file, as it was written."""
    written: JsonValue = part.model_dump(by_alias=True, exclude_unset=True)
    return written


def _routes(name: str, scripts: Mapping[str, Script]) -> Iterator[PlainRoute]:
    """The routes of a script, then those of the scripts that it includes."""
    yield from (cast("PlainRoute", _written(route)) for route in scripts[name].routes)
    for rule in scripts[name].rules:
        if rule.include is not None:
            yield from _routes(rule.include, scripts)
