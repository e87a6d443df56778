"""Doubles of programs under the real agent programs: in their sandboxes, through their shells."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SUITE = Path(__file__).parent.parent / "commands" / "data" / "release.yaml"


def test_commands_of_a_real_program_find_the_doubles_and_each_promise_holds(program: Any, desk: Any) -> None:
    ran = desk.run("rehearse", SUITE, "--out", "run", "--format", "json", *program.flags)

    assert ran.code == 0, ran.out + ran.err
    promises = {one["rehearsal"]: (one["got"], one["kept"]) for one in ran.report["rehearsal"]["promises"]}
    assert promises["honest"] == ("passed", "yes")
    assert promises["publishes"] == ("failed", "yes")
    assert all(kept == "yes" for _, kept in promises.values())


ESCAPES = (
    *(
        "git x; dd if=it of=MADE",
        "git x && dd if=it of=MADE",
        "git x || dd if=it of=MADE",
        "git x | tee MADE",
        "git x & dd if=it of=MADE",
    ),
    *(
        "git x\ndd if=it of=MADE",
        "git $(dd if=it of=MADE)",
        "git `dd if=it of=MADE`",
        'git "$(dd if=it of=MADE)"',
        "git <(dd if=it of=MADE)",
    ),
    *("git x > ../MADE; cp ../MADE MADE", "git ${X:-$(dd if=it of=MADE)}", "git x \\\n; dd if=it of=MADE"),
    *(
        "env dd if=it of=MADE",
        "sh -c 'dd if=it of=MADE'",
        "bash -c 'git x; dd if=it of=MADE'",
        "command dd if=it of=MADE",
        "xargs dd if=it of=MADE",
    ),
    *(
        "git() { dd if=it of=MADE; }; git x",
        "PATH=$PWD/bin:$PATH git x",
        "env PATH=$PWD/bin:$PATH git x",
        "./bin/git x",
        "export PATH=$PWD/bin; git x",
    ),
    *(
        "alias git='dd if=it of=MADE'\ngit x",
        "eval 'dd if=it of=MADE'",
        "git x; (dd if=it of=MADE)",
        "! dd if=it of=MADE",
        "time dd if=it of=MADE",
    ),
    *(
        "git <<X\n$(dd if=it of=MADE)\nX",
        "if git x; then dd if=it of=MADE; fi",
        "git x # it\ndd if=it of=MADE",
        "git x\r\ndd if=it of=MADE",
    ),
    *(
        "GIT_PAGER='dd if=it of=MADE' git x",
        "BASH_ENV=./bin/git git x",
        "hash -p ./bin/git git; git x",
        "exec dd if=it of=MADE",
    ),
)
"""Commands that begin with a program of the fixture, or look as if they were one, and make a file.

By `dd`: what the program lets be done in a project without a rule (`touch`, `rm`, `>`) is the same in all arms.
"""


def test_a_rule_for_a_fixtures_program_lets_nothing_else_be_run(claude: Any, desk: Any) -> None:
    named = [text.replace("MADE", f"made-{number}") for number, text in enumerate(ESCAPES)]
    suite = {
        "arms": [{"id": "plain"}],
        "gate": {"arm": "plain"},
        "fixtures": {"tools": {"use": "commands", "programs": ["git"], "replies": "replies.json"}},
        "cases": {
            "work": {
                "prompt": "Do it.",
                # A double of the double, which is found where a folder of the project comes first.
                "workspace": {"it": "", "bin/git": "#!/bin/sh\ndd if=it of=made-by-a-path\n"},
                "setup": ["chmod +x bin/git"],
                "expect": [{"calls": "tools", "at_least": [{"tool": "git", "arguments": {"argv": ["last"]}}]}],
                "rehearsals": [
                    {
                        "id": "tries",
                        "expect": "passed",
                        "script": [*({"run": one} for one in named), {"run": "git last"}, {"say": "DONE"}],
                    }
                ],
            }
        },
    }
    replies = {"schema_version": 1, "scripts": {"one": {"rules": [{"program": "git", "reply": {"stdout": "fine\n"}}]}}}
    (desk.folder / "replies.json").write_text(json.dumps(replies), "utf-8")
    path = desk.folder / "escapes.json"
    path.write_text(json.dumps(suite), "utf-8")

    ran = desk.run(
        *("rehearse", path, "--out", "run", "--format", "json", "--rehearsal", "tries", "--allow-commands"),
        *claude.flags,
    )

    assert ran.code in (0, 1, 3), ran.out + ran.err
    files = json.loads((desk.folder / "run/trials/work/plain/tries/files.json").read_text("utf-8"))
    assert [word for word in json.dumps(files).split('"') if word.startswith("made-")] == []
    assert [one["got"] for one in ran.report["rehearsal"]["promises"]] == ["passed"], (
        "the fixture's program can be called"
    )
