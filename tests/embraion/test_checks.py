"""What the checks of an EmbrAIon suite mean."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Command = Callable[..., Any]
EAGER = "#!/bin/sh\ncat > /dev/null\necho hello > greeting.txt\n"
MESSY = r"""#!/bin/sh
cat > /dev/null
mkdir -p made/folder
printf 'one\r\ntwo\r\n' > crlf.txt
printf '\377\376' > bytes.txt
printf '{"a": {"b": 1, "t": true, "n": null, "list": [5]}}' > data.json
printf 'not json' > broken.json
printf '{"a": 1}' > made/folder/a.json
"""
MEANINGS: list[tuple[dict[str, Any], bool | None]] = [
    ({"type": "file-exists", "path": "crlf.txt"}, True),
    ({"type": "file-exists", "path": "made"}, False),
    ({"type": "file-exists", "path": "missing.txt"}, False),
    ({"type": "file-absent", "path": "missing.txt"}, True),
    ({"type": "file-absent", "path": "made"}, False),
    ({"type": "file-absent", "path": "crlf.txt"}, False),
    ({"type": "file-contains", "path": "crlf.txt", "text": "one\ntwo"}, True),
    ({"type": "file-contains", "path": "crlf.txt", "text": "ONE"}, False),
    ({"type": "file-contains", "path": "crlf.txt", "text": "o.e"}, False),
    ({"type": "file-contains", "path": "bytes.txt", "text": "a"}, False),
    ({"type": "file-contains", "path": "missing.txt", "text": "a"}, False),
    ({"type": "json-field-equals", "path": "data.json", "field": "a.b", "value": 1}, True),
    ({"type": "json-field-equals", "path": "data.json", "field": "a.b", "value": 2}, False),
    ({"type": "json-field-equals", "path": "data.json", "field": "a", "value": {"b": 1}}, False),
    ({"type": "json-field-equals", "path": "data.json", "field": "a.n", "value": None}, True),
    ({"type": "json-field-equals", "path": "broken.json", "field": "a", "value": 1}, False),
    ({"type": "json-field-equals", "path": "missing.json", "field": "a", "value": 1}, False),
    ({"type": "unchanged-path", "path": "agent.sh"}, True),
    ({"type": "unchanged-path", "path": "crlf.txt"}, False),
    ({"type": "unchanged-path", "path": "deep/old.txt"}, True),
    ({"type": "changed-paths-within", "paths": ["made", "crlf.txt", "bytes.txt", "data.json", "broken.json"]}, True),
    ({"type": "changed-paths-within", "paths": ["made"]}, False),
    # Defects of EmbrAIon's, where the verdict is another one on purpose.
    ({"type": "json-field-equals", "path": "data.json", "field": "a.missing", "value": None}, False),
    ({"type": "json-field-equals", "path": "data.json", "field": "a.t", "value": 1}, False),
    ({"type": "unchanged-path", "path": "made"}, False),
    ({"type": "unchanged-path", "path": "misspelt.txt"}, None),
]


def test_embraion_06_the_verdicts_are_embraions_but_for_what_is_a_defect_there(
    run: Command, greetings: Callable[..., Path], document: Callable[..., dict[str, Any]]
) -> None:
    (case,) = document()["cases"]
    cases = [{**case, "id": f"c{at}", "checks": [check]} for at, (check, _) in enumerate(MEANINGS)]
    suite = greetings(MESSY, document(cases=cases), **{"start/deep/old.txt": "old\n"})

    ran = run(suite, "--attempts", "1", "--arm", "with_skill")

    assert ran.code == 1
    found = {one["case"]: one["behavior-passed"] for one in ran.report["runs"]}
    assert found == {f"c{at}": expected for at, (_, expected) in enumerate(MEANINGS)}


def test_no_change_at_all_is_not_within_anything(
    run: Command, greetings: Callable[..., Path], document: Callable[..., dict[str, Any]]
) -> None:
    check = {"type": "changed-paths-within", "paths": ["made", "greeting.txt"]}
    suite = greetings("#!/bin/sh\ncat > /dev/null\n", document(check))

    assert run(suite, "--attempts", "1").code == 1


def test_embraion_81_06_caches_links_and_many_files_do_not_void_the_grading(
    run: Command, greetings: Callable[..., Path], document: Callable[..., dict[str, Any]]
) -> None:
    agent = (
        f"{EAGER}mkdir __pycache__ made; touch __pycache__/a.pyc; ln -s /etc/hostname made/way\n"
        "i=0; while [ $i -lt 210 ]; do : > made/$i; i=$((i + 1)); done\n"
    )
    check = {"type": "changed-paths-within", "paths": ["greeting.txt", "made"]}

    ran = run(greetings(agent, document(check)), "--attempts", "1")

    assert ran.code == 0, ran.out
