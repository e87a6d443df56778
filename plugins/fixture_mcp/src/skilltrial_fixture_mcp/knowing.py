"""An answerer that knows tools by the names of `aliases`, where the catalog calls them otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from skilltrial.api import Answerer, Heard, Question, Readiness, Remarks, ToolAnswer


@dataclass(frozen=True, slots=True)
class Knowing:
    """Asks `answerer` under the names that it knows, and a real server under those that it has.

    `names` are the catalog's → the answerer's.
    """

    answerer: Answerer
    names: Mapping[str, str]

    def check_state(self, state: Mapping[str, JsonValue]) -> Sequence[str]:
        """See Answerer."""
        return self.answerer.check_state(state)

    def check_ready(self, state: Mapping[str, JsonValue], heard: Sequence[Heard] | None = None) -> Readiness:
        """See Answerer."""
        asked = None if heard is None else [replace(one, question=self._known(one.question)) for one in heard]
        return self.answerer.check_ready(state, asked)

    def list_questions(self, state: Mapping[str, JsonValue]) -> Sequence[Question]:
        """See Answerer."""
        offered = {name: tool for tool, name in self.names.items()}
        asked = self.answerer.list_questions(state)
        return [replace(one, tool=offered.get(one.tool, one.tool)) for one in asked]

    def remark(
        self,
        tool: str,
        arguments: Mapping[str, JsonValue],
        result: JsonValue,
        is_error: bool,
        state: Mapping[str, JsonValue],
    ) -> Remarks:
        """See Answerer."""
        return self.answerer.remark(self.names.get(tool, tool), arguments, result, is_error, state)

    def answer_call(self, tool: str, arguments: Mapping[str, JsonValue], state: Mapping[str, JsonValue]) -> ToolAnswer:
        """See Answerer."""
        return self.answerer.answer_call(self.names.get(tool, tool), arguments, state)

    def _known(self, question: Question) -> Question:
        return replace(question, tool=self.names.get(question.tool, question.tool))
