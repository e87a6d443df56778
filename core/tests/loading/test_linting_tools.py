"""Tools that a skill asks for: how people write them, whether the suite allows them, and what is shown of them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skilltrial.model.errors import DocumentInvalid
from skilltrial.record.gathering import prepared, read_tree
from skilltrial.record.linting import lint
from skilltrial.record.suitefile.frontmatter import read_frontmatter

CASE = "cases: {one: {prompt: Go., workspace: {a.txt: x}, expect: [{files: a.txt, contains: x}]}}\n"
SECRET = "xyzzy"


def head(tools: str) -> str:
    return f"---\nname: commit-style\ndescription: How commits are written.\n{tools}---\nDo so.\n"


@pytest.fixture
def told(project):
    """The remarks on a suite with this `allow`, whose skill's front matter has these lines."""

    def remarks(tools: str, allow: list[str] | None = None) -> list[str]:
        (project.root / "commit-style" / "SKILL.md").write_text(head(tools))
        text = CASE if allow is None else f"allow: {json.dumps(allow)}\n{CASE}"
        found = lint(project.load(text), project.graders, project.fixtures)
        return [one.text for one in found if "is a list" not in one.text]

    return remarks


@pytest.mark.parametrize(
    ("line", "tools"),
    [
        ("", ()),
        ("allowed-tools:", ()),
        ("allowed-tools: ''", ()),
        ("allowed-tools: []", ()),
        ("allowed-tools: 5", ()),
        ("allowed-tools: true", ()),
        ("allowed-tools: {Read: yes}", ()),
        ("allowed-tools: Read", ("Read",)),
        ("allowed-tools: Read, Write", ("Read", "Write")),
        ("allowed-tools: Read Write", ("Read", "Write")),
        ("allowed-tools: ' Read ,, Write , '", ("Read", "Write")),
        ("allowed-tools: Bash(git *)", ("Bash(git *)",)),
        ("allowed-tools: Bash(git add *), Read", ("Bash(git add *)", "Read")),
        ("allowed-tools: Bash(git:*) Bash(jq:*) Read", ("Bash(git:*)", "Bash(jq:*)", "Read")),
        ("allowed-tools: Bash(a, b) Read", ("Bash(a, b)", "Read")),
        ("allowed-tools: Bash(echo $(date) now) Read", ("Bash(echo $(date) now)", "Read")),
        ("allowed-tools: Bash(git status, Read", ("Bash(git status, Read",)),
        ("allowed-tools: Bash (git status) Read", ("Bash", "Read")),
        ("allowed-tools: (git status)", ()),
        ("allowed-tools: [Read, 'Bash(git *)']", ("Read", "Bash(git *)")),
        ("allowed-tools: [Read, [Write], 5, null]", ("Read", "Write")),
        ("allowed-tools:\n  - Read\n  - Bash(npm run *)", ("Read", "Bash(npm run *)")),
        ("allowed-tools: >\n  Read\n  Write", ("Read", "Write")),
        ("allowed-tools: mcp__memory__remember_memory", ("mcp__memory__remember_memory",)),
        ("allowed_tools: Read", ()),
        ("metadata: {allowed-tools: Read}", ()),
    ],
)
def test_tools_are_read_however_they_are_listed(line, tools):
    assert read_frontmatter("SKILL.md", head(f"{line}\n" if line else "").encode()).allowed_tools == tools


TOOL = st.from_regex(r"[A-Za-z_]{1,6}", fullmatch=True)
INSIDE = st.text(" ,ab*:$'", max_size=6).map(lambda text: f"({text})") | st.just("")


@given(
    tools=st.lists(st.tuples(TOOL, INSIDE).map("".join), max_size=4), between=st.sampled_from([" ", ",", ", ", " ,  "])
)
def test_a_list_and_a_text_of_the_same_tools_are_the_same(tools, between):
    listed = read_frontmatter("SKILL.md", head(f"allowed-tools: {json.dumps(tools)}\n").encode())
    written = read_frontmatter("SKILL.md", head(f"allowed-tools: {json.dumps(between.join(tools))}\n").encode())
    assert listed.allowed_tools == written.allowed_tools == tuple(tools)


@pytest.mark.parametrize(
    ("asks", "allow", "named", "proposed"),
    [
        ("Read", None, "`Read`", "; `allow: [Read]` lets all arms alike"),
        ("Read", ["Read"], None, None),
        ("Read", ["Read", "Bash"], None, None),
        ("Read", ["read"], "`Read`", "; add to it, for all arms alike: Read"),
        ("Read, Write", ["Write"], "`Read`", "; add to it, for all arms alike: Read"),
        ("Read, Write, Bash", ["Bash"], "`Read`, `Write`", "; add to it, for all arms alike: Read, Write"),
        ("[Read, Write]", [], "`Read`, `Write`", "; `allow: [Read, Write]` lets all arms alike"),
        ("Bash(git *)", [], "`Bash`", "; `allow: [Bash]` lets all arms alike"),
        ("Bash(git *)", ["Bash(git *)"], None, None),
        ("Bash(git *)", ["Bash"], None, None),
        ("Bash(git *)", ["Bash(npm *)"], "`Bash`", "; add to it, for all arms alike: Bash"),
        ("Bash", ["Bash(git *)"], "`Bash`", "; add to it, for all arms alike: Bash"),
        ("Bash(git *), Bash(npm *)", [], "`Bash`", "; `allow: [Bash]` lets all arms alike"),
        ("Bash(git *), Bash(npm *)", ["Bash(git *)"], "`Bash`", "; add to it, for all arms alike: Bash"),
        ("mcp__m__r", [], "`mcp__m__r`", "; `allow: [mcp__m__r]` lets all arms alike"),
        ("(odd", [], None, None),
        ("odd/tool, Read", [], "a tool, `Read`", "; `allow: [Read]` lets all arms alike"),
        ("odd/tool", [], "a tool", ""),
    ],
)
def test_a_tool_that_the_suite_does_not_allow_is_remarked_with_what_to_write(told, asks, allow, named, proposed):
    remark = f"skill `commit-style`: it asks for {named}, which `allow` does not name: calls may be refused{proposed}"
    assert told(f"allowed-tools: {asks}\n", allow) == ([remark] if named else [])


@pytest.mark.parametrize(
    "asks",
    [
        f"Bash({SECRET})",
        f"Bash(echo {SECRET} *)",
        f"Bash(echo ({SECRET}) {SECRET})",
        f"Bash(echo, {SECRET})",
        f"Bash(echo {SECRET}",
        f"Bash (echo {SECRET})",
        f"[Read, 'Bash(curl -H {SECRET})']",
        f"Bash(echo {SECRET}) Bash(echo {SECRET})",
        f"{SECRET}/bin/tool",
        f"Bash:{SECRET}",
        "x" * 65 + SECRET,
        f"Bash(a) {SECRET})",
    ],
)
def test_nothing_of_what_stands_in_brackets_or_is_no_name_is_shown(told, asks):
    remarks = told(f"allowed-tools: {asks}\n", [])
    assert len(remarks) == 1
    assert "asks for" in remarks[0]
    assert SECRET not in remarks[0]


SCRIPTS = "it has scripts, but the suite's `allow` is empty"


@pytest.mark.parametrize(
    ("tools", "allow", "kind", "remarked"),
    [
        ("", None, "folder", True),
        ("", [], "folder", True),
        ("", ["Bash"], "folder", False),
        ("", [], "file", False),
        ("", [], None, False),
        ("allowed-tools: Bash\n", ["Bash"], "folder", False),
        ("allowed-tools: Bash\n", [], "folder", False),
    ],
)
def test_scripts_that_nobody_may_run_are_remarked_once(project, told, tools, allow, kind, remarked):
    scripts = project.root / "commit-style" / "scripts"
    if kind == "folder":
        scripts.mkdir()
        (scripts / "run.sh").write_text("true\n")
    elif kind == "file":
        scripts.write_text("notes")

    remarks = told(tools, allow)

    assert any(SCRIPTS in one and "`allow: [Bash]` lets all arms alike" in one for one in remarks) is remarked
    assert len(remarks) == (1 if remarked or (tools and not allow) else 0)


# --- The front matter ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name", "description", "body"),
    [
        ("---\nname: x\ndescription: y\n---\nBody\n", "x", "y", "Body\n"),
        ("---\r\nname: x\r\ndescription: y\r\n---\r\nBody\r\n", "x", "y", "Body\n"),
        ("\ufeff---\nname: x\n---\nBody", "x", None, "Body"),
        ("---  \nname: x\n--- \t\nBody", "x", None, "Body"),
        ("---\nname: x\n---", "x", None, ""),
        ("---\nname: x\n---\n---\nBody\n---\n", "x", None, "---\nBody\n---\n"),
        ("---\nname: x\ndescription: a --- b\n---\n", "x", "a --- b", ""),
        ("---\nname: x\ndescription: |\n  a\n  ---\n  b\n---\n", "x", "a\n---\nb\n", ""),
        ("---\nname: x\ndescription: >-\n  a\n  b\n---\n", "x", "a b", ""),
        ("---\nname: 5\ndescription: [a]\n---\n", None, None, ""),
        ("---\nname: null\n---\n", None, None, ""),
        ("---\nname: имя\ndescription: '\U0001f600'\n---\n", "имя", "\U0001f600", ""),
        ("---\nlicense: MIT\n---\n", None, None, ""),
        ("---\n{name: x}\n---\nBody", "x", None, "Body"),
    ],
)
def test_the_head_of_a_skill_is_read(text, name, description, body):
    matter = read_frontmatter("SKILL.md", text.encode())
    assert (matter.name, matter.description, matter.body) == (name, description, body)


@pytest.mark.parametrize(
    ("data", "what", "line"),
    [
        (b"", "no front matter", 1),
        (b"Body\n", "no front matter", 1),
        (b"\n---\nname: x\n---\n", "no front matter", 1),
        (b"---\nname: x\n", "no front matter", 1),
        (b"---\nname: x\n----\nBody\n", "no front matter", 1),
        (b"---\nname: x\n ---\nBody\n", "no front matter", 1),
        (b"--- name: x\n---\n", "no front matter", 1),
        (b"---\n---\nBody\n", "front matter is empty", 2),
        (b"---\n---\nBody\n---\n", "front matter is empty", 2),
        (b"---\n# nothing\n---\n", "front matter is empty", 2),
        (b"---\n- name\n---\n", "no mapping", 2),
        (b"---\njust text\n---\n", "no mapping", 2),
        (b"---\nname: x\nname: y\n---\n", "name", 3),
        (b"---\nname: x\ndescription: [a\n---\n", "", None),
        (b"---\nname: a: b\n---\n", "", None),
        (b"\xff---\nname: x\n---\n", "not UTF-8", 1),
        ("---\nname: x\n---\n".encode("utf-16"), "not UTF-8", 1),
    ],
)
def test_a_head_that_can_not_be_read_says_what_and_where(data, what, line):
    with pytest.raises(DocumentInvalid) as caught:
        read_frontmatter("notes/SKILL.md", data)
    fault = caught.value.faults[0]
    assert fault.file == "notes/SKILL.md"
    assert what in fault.what
    assert line in (None, fault.line)


def test_a_plan_names_the_tools_without_what_stands_in_their_brackets(project):
    (project.root / "commit-style" / "SKILL.md").write_text(
        head(f"allowed-tools: Bash(git {SECRET}), Read, Bash(npm *), Edit(a (b) {SECRET})\n")
    )
    skill = prepared("commit-style", "commit-style", read_tree(project.root / "commit-style"))
    assert skill.asks == ("Bash", "Read", "Edit")
