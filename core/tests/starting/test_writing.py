"""A first suite as text reads again to what was meant."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from skilltrial.record.suitefile.document import read
from skilltrial.starting.cases import DraftCase, filled_up, slug
from skilltrial.starting.writing import DraftSuite, scalar, suite_text

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=60)


@settings(deadline=None)
@given(TEXTS)
def test_any_text_reads_again(text: str) -> None:
    assert read("a.yaml", f"a: {scalar(text)}\n".encode()).at(("a",)) == text
    assert read("a.yaml", f"a: {scalar(text, 4)}\n".encode()).at(("a",)) == text


@settings(deadline=None)
@given(st.lists(TEXTS.filter(str.strip), max_size=3), TEXTS)
def test_any_prompt_file_and_description_make_a_suite_that_can_be_read(prompts: list[str], description: str) -> None:
    cases = [DraftCase(slug(text, "case"), text, files={"a.txt": text.encode()}, notes=(text,)) for text in prompts]

    suite = DraftSuite("greeter", "greeter", description, filled_up(cases), allow=("Bash(git *)",), gated=True)

    document = read("a.yaml", suite_text(suite).encode())
    assert not document.double
    found = document.at(("cases",))
    assert isinstance(found, dict)
    assert [case["prompt"] for case in found.values()][: len(prompts)] == prompts
    assert [case.get("workspace") for case in found.values()][: len(prompts)] == [{"a.txt": text} for text in prompts]
    assert len(found) >= 3


def test_an_id_is_a_key_that_reads_as_text() -> None:
    assert [slug(text, "case") for text in ("NULL", "Yes!", "4 of them", "Add  an entry, please do it", "ж")] == [
        *("case", "case", "case", "add-an-entry-please", "case"),
    ]
