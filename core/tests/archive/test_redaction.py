"""Secrets: in whatever spelling one travels, it is nowhere below the archive, and the archive stays readable."""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import json
import lzma
import os
import zipfile
import zlib
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skilltrial.archive.reading import open_archive
from skilltrial.archive.redaction import SHORTEST, Redactor
from skilltrial.archive.seal import verify
from skilltrial.archive.trees import as_json
from skilltrial.archive.unpacking import MOST, unpacked
from skilltrial.model.evidence import ContentUnavailable, Entry, FileKind
from skilltrial.model.words import Source

SECRET = 'k3y-"ö\\/ &+%~end'
PLAIN = "sk-Canary-0123456789"


def spelled(secret: str) -> dict[str, str]:
    raw = secret.encode()
    forms = {
        "plain": secret,
        "in JSON": json.dumps(secret),
        "in JSON, letters kept": json.dumps(secret, ensure_ascii=False),
        "in JSON of PHP": json.dumps(secret, ensure_ascii=False).replace("/", "\\/"),
        "in JSON of Go": json.dumps(secret).replace("&", "\\u0026"),
        "in a URL, small": quote(secret, safe="").replace("%2F", "%2f").replace("%5C", "%5c")
        if secret.isascii()
        else quote(secret, safe="").lower(),
        "in JSON in JSON": json.dumps(json.dumps({"key": secret})),
        "in a path of a URL": f"https://example.org/{quote(secret, safe='')}/x",
        "in a query of a URL": f"https://example.org/?key={quote_plus(secret)}&x=1",
    }
    for before in range(3):
        text = b"u" * before + raw + b":tail"
        forms[f"base64 after {before} bytes"] = base64.b64encode(text).decode()
        forms[f"base64 for URLs after {before} bytes"] = base64.urlsafe_b64encode(text).decode()
        forms[f"base64 after {before} bytes, at the end"] = base64.b64encode(b"u" * before + raw).decode()
    return forms


@pytest.mark.parametrize("secret", [SECRET, PLAIN, "пароль-длинный", "aaaaaaaa"])
@pytest.mark.parametrize("form", spelled(PLAIN))
def test_every_spelling_gets_the_same_mark_in_text_and_in_bytes(secret, form):
    redactor = Redactor({"API_KEY": secret})
    text = f"before {spelled(secret)[form]} after"

    told, hits = redactor.text(text)
    kept, hits_in_bytes = redactor.data(text.encode())

    assert "[redacted API_KEY]" in told
    assert secret not in told
    assert kept.decode() == told
    assert hits == hits_in_bytes >= 1
    assert told.startswith("before ")
    assert told.endswith(" after")


@given(st.text(min_size=12, max_size=30), st.binary(max_size=5), st.binary(max_size=5))
@settings(max_examples=200, deadline=None)
def test_base64_of_any_secret_at_any_offset_can_not_be_decoded_any_more(secret, before, after):
    redactor = Redactor({"API_KEY": secret})

    coded = base64.b64encode(before + secret.encode() + after).decode()
    told, hits = redactor.text(coded)
    left, _, right = told.partition("[redacted API_KEY]")
    hidden = len(coded) - len(left) - len(right)

    assert hits == 1
    assert coded.startswith(left)
    assert coded.endswith(right)
    # At most one letter at either end stays beside the mark: less than a byte of the secret.
    assert hidden * 6 >= len(secret.encode()) * 8 - 2 * 10


@pytest.mark.parametrize("secret", [SECRET, PLAIN, "пароль-длинный", "x" * 200])
@pytest.mark.parametrize("order", ["utf-16", "utf-16-le", "utf-16-be"])
def test_text_of_two_bytes_a_letter_hides_none(secret, order):
    redactor = Redactor({"API_KEY": secret})
    data = f"before {secret} after".encode(order)

    kept, hits = redactor.data(data)
    told, hits_in_text = redactor.text(data.decode("utf-8", "surrogateescape"))

    assert hits == hits_in_text == 1
    assert secret not in kept.decode(order, "replace")
    assert b"[redacted API_KEY]" in kept
    assert told.encode("utf-8", "surrogateescape") == kept


@pytest.mark.parametrize("secret", [PLAIN, "пароль-длинный", "k3y-" + "0123456789abcdef" * 10])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\\n", "\\r\\n"])
@pytest.mark.parametrize("columns", [60, 64, 76])
def test_base64_in_lines_hides_none_wherever_they_break(secret, end, columns):
    redactor = Redactor({"API_KEY": secret})

    for before in range(columns):
        coded = base64.b64encode(b"u" * before + secret.encode() + b"tail" * 30).decode()
        text = end.join(coded[at : at + columns] for at in range(0, len(coded), columns))
        told, hits = redactor.text(f"begin {text} end")
        kept, hits_in_bytes = redactor.data(f"begin {text} end".encode())

        assert hits == hits_in_bytes == 1, before
        assert told.count("[redacted API_KEY]") == 1
        assert kept.decode() == told
        assert len(told) < len(f"begin {text} end") - len(secret.encode()) * 4 // 3 + 24 + 6


def zipped(*contents: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, content in enumerate(contents):
            archive.writestr(f"{number}.txt", content)
    return file.getvalue()


PACKINGS = {
    "gzip": gzip.compress,
    "gzip of two": lambda data: gzip.compress(b"other") + gzip.compress(data),
    "zlib": zlib.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zip": lambda data: zipped(b"other", data),
    "gzip in zip in xz": lambda data: lzma.compress(zipped(b"other", gzip.compress(data))),
    "gzip that is cut": lambda data: gzip.compress(data + os.urandom(200_000))[:-100_000],
}


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("around", ["key={}\n", '{{"key": "{}"}}'])
def test_of_compressed_data_with_a_secret_the_mark_alone_is_left(packing, around):
    redactor = Redactor({"API_KEY": PLAIN})

    assert redactor.data(PACKINGS[packing](around.format(PLAIN).encode())) == (b"[redacted API_KEY]", 1)
    assert redactor.data(PACKINGS[packing](base64.encodebytes(b"." * 40 + PLAIN.encode()))) == (
        b"[redacted API_KEY]",
        1,
    )


@pytest.mark.parametrize("packing", PACKINGS)
def test_other_compressed_data_stay_as_they_are(packing):
    data = PACKINGS[packing](b"nothing of the kind" * 1000)

    assert Redactor({"API_KEY": PLAIN}).data(data) == (data, 0)


def test_what_only_begins_like_compressed_data_breaks_nothing():
    redactor = Redactor({"API_KEY": PLAIN})

    for start in (b"PK\x03\x04", b"\x1f\x8b\x08", b"x\x9c", b"BZh", b"\xfd7zXZ\x00"):
        for rest in (b"", b"\0" * 100, os.urandom(1000), b"\xff" * 70_000):
            assert redactor.data(start + rest) == (start + rest, 0)
            assert redactor.data(start + rest + PLAIN.encode())[1] == 1


def test_no_more_is_unpacked_than_is_allowed():
    """A small file may hold any number of zeros."""
    bomb = gzip.compress(b"\0" * (MOST + 1_000_000)) + gzip.compress(PLAIN.encode())

    assert sum(map(len, unpacked(bomb))) <= MOST
    assert sum(map(len, unpacked(zipped(bomb, bomb)))) <= MOST


def test_each_place_is_counted_and_each_secret_has_its_own_mark():
    redactor = Redactor({"ONE": "first-secret", "TWO": "second-secret"})

    assert redactor.text("first-secret, second-secret, first-secret") == (
        "[redacted ONE], [redacted TWO], [redacted ONE]",
        3,
    )
    assert redactor.data(b"nothing here") == (b"nothing here", 0)


def test_of_two_secrets_that_overlap_the_longer_one_goes_first():
    redactor = Redactor({"SHORT": "abcdef", "LONG": "abcdef-and-more"})

    assert redactor.text("abcdef-and-more abcdef")[0] == "[redacted LONG] [redacted SHORT]"


@pytest.mark.parametrize("value", ["", "a", "12345"])
def test_short_values_are_left_and_named(value):
    redactor = Redactor({"PIN": value, "KEY": "long-enough"})

    assert redactor.text(f"x{value}y") == (f"x{value}y", 0)
    assert redactor.too_short == (("PIN",) if value else ())
    assert len(value) < SHORTEST


def test_without_secrets_nothing_changes():
    assert Redactor({}).text("abcdef") == ("abcdef", 0)
    assert Redactor({}).data(b"\xff\xfe") == (b"\xff\xfe", 0)
    assert Redactor({}).value({"a": ["b"]}) == ({"a": ["b"]}, 0)


def test_a_secret_that_is_not_utf8_is_found_in_bytes():
    secret = b"k3y-\xff\xfe-end".decode("utf-8", "surrogateescape")

    assert Redactor({"KEY": secret}).data(b"x k3y-\xff\xfe-end y") == (b"x [redacted KEY] y", 1)


def test_a_secret_of_several_lines_is_found_in_each_of_them():
    """A private key in a variable: what prints it prints lines, and each line is a record of its own."""
    key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG\n9w0BAQEFAASCBKcwggSj\nshort\n-----END PRIVATE KEY-----\n"
    redactor = Redactor({"PEM": key})

    for line in key.splitlines():
        assert redactor.text(f"  {line}")[0] == ("  short" if line == "short" else "  [redacted PEM]")
    assert redactor.text(json.dumps({"key": key}))[0] == '{"key": "[redacted PEM]"}'
    assert redactor.text(key)[0] == "[redacted PEM]"


def test_values_are_redacted_in_their_texts_alone():
    redactor = Redactor({"TIMEOUT": "600000", "MODE": "folder"})
    value = {
        "path": "folder/600000",
        "kind": "folder",
        "size": 600000,
        "sha256": "600000",
        "more": [{"target": "folder"}],
    }

    assert redactor.value(value) == (
        {
            "path": "[redacted MODE]/[redacted TIMEOUT]",
            "kind": "folder",
            "size": 600000,
            "sha256": "600000",
            "more": [{"target": "[redacted MODE]"}],
        },
        3,
    )


def leaky(make_world, root, secret, name="leak.txt"):
    """A run in which an agent puts a secret wherever an agent can put it."""
    world = make_world(root, {"API_KEY": secret})
    writer = world.begin()
    key = world.keys[0]
    trial = writer.open_trial(key, world.redactor)
    world.fill(trial, "first try")
    for form in spelled(secret).values():
        trial.host.record(Source.STDOUT, f"I print {form}")
    trial.begin_another(world.facts(key))
    digests = []
    for number, form in enumerate(spelled(secret).values()):
        trial.host.record(Source.STDOUT, f"I print {form}")
        trial.model.record(Source.MODEL, json.dumps({"authorization": form}))
        digest = f"{number:064x}"
        digests.append(digest)
        assert trial.write_changed(digest, f"file with {form}".encode())
    assert not trial.write_changed("f" * 64, b"nothing here")
    entries = [
        Entry(path=f"{number}-{name}", kind=FileKind.FILE, size=7, sha256=digest)
        for number, digest in enumerate(digests)
    ]
    link = Entry(path=f"link-{name}", kind=FileKind.LINK, target=secret)
    trial.write_json(
        "files.json",
        {
            "before": as_json([Entry(path=f"old-{name}", kind=FileKind.FOLDER)]),
            "after": as_json([*entries, link]),
            "gone": [f"old-{name}"],
            "changes": [{"path": one.path, "change": "created"} for one in [*entries, link]],
        },
    )
    trial.write_json("answers.json", [f"the key is {form}" for form in spelled(secret).values()])
    trial.write_json(
        "commands.json",
        [{"when": "after", "command": "env", "code": 0, "stdout": secret, "stderr": json.dumps(secret)}],
    )
    trial.seal(world.facts(key, redacted_paths=tuple(one.path for one in entries)))
    writer.seal()
    return world


def escaped(text: str) -> str:
    return json.dumps(text)[1:-1]


@pytest.mark.parametrize("secret", [SECRET, PLAIN, "пароль-длинный"])
def test_a_secret_is_nowhere_below_the_archive(make_world, tmp_path, contents, secret):
    world = leaky(make_world, tmp_path / "archive", secret)
    forms = [*spelled(secret).values(), escaped(escaped(secret))]

    for name, data in contents(world.root).items():
        for form in (secret, escaped(secret), escaped(escaped(secret)), *forms):
            # `example.org` and the like stand around a spelling; what counts is the secret in it.
            assert form.encode() not in data, (name, form)
        assert secret not in name
    verify(world.root)


def test_a_secret_of_bytes_that_are_no_text_is_nowhere_either(make_world, tmp_path, contents):
    raw = b"k3y-\xff\xfe-end"
    secret = raw.decode("utf-8", "surrogateescape")
    world = make_world(tmp_path / "archive", {"API_KEY": secret})
    writer = world.begin()
    trial = writer.open_trial(world.keys[0], world.redactor)
    world.fill(trial, "nothing")
    trial.host.record(Source.STDOUT, f"it is {secret}")
    trial.write_changed("0" * 64, b"it is " + raw)
    trial.write_json("answers.json", [secret])
    trial.seal(world.facts(world.keys[0]))
    writer.seal()

    for name, data in contents(world.root).items():
        assert raw not in data, name
        assert escaped(secret).encode() not in data, name


def test_the_same_mark_stands_in_every_witness(make_world, tmp_path):
    world = leaky(make_world, tmp_path / "archive", PLAIN)
    trial = open_archive(world.root).trial(world.keys[0])
    assert trial is not None

    assert "I print [redacted API_KEY]" in [record.raw for record in trial.records()]
    assert {record.redacted for record in trial.records()} == {1}
    assert json.loads(trial.model_records()[0].raw) == {"authorization": "[redacted API_KEY]"}
    assert trial.answers()[0] == "the key is [redacted API_KEY]"
    assert trial.after()[0].stdout == "[redacted API_KEY]"
    assert trial.files().contents[f"{0:064x}"] == b"file with [redacted API_KEY]"
    # Records, model records, changed files and answers, one of each a spelling; a link; two texts of the command.
    assert trial.facts.redactions == 4 * len(spelled(PLAIN)) + 1 + 2


@pytest.mark.parametrize("name", ["leak.txt", f"{PLAIN}.txt", f"{SECRET.replace('/', '_')}.txt", "\udcff.txt"])
def test_a_changed_file_that_held_a_secret_is_not_read_whatever_it_is_called(make_world, tmp_path, contents, name):
    """The name may hold the secret itself, or be no text at all: listing and facts must still agree about it."""
    secret = PLAIN if PLAIN in name else SECRET.replace("/", "_")
    world = leaky(make_world, tmp_path / "archive", secret, name)
    trial = open_archive(world.root).trial(world.keys[0])
    assert trial is not None
    files = trial.files()

    changed = [path for path in files.after if path.startswith("0-")]
    assert len(changed) == 1
    with pytest.raises(ContentUnavailable, match="redacted"):
        files.read(changed[0])
    assert files.redacted <= set(files.after)
    for data in contents(world.root).values():
        assert secret.encode() not in data
        assert escaped(secret).encode() not in data


@pytest.mark.parametrize(
    "value", ["600000", "000000", "100000", "folder", "created", "sha256", "before", "2026-01", "schema_version"]
)
def test_a_passed_variable_that_looks_like_our_own_words_breaks_no_archive(make_world, tmp_path, value):
    """API_TIMEOUT_MS=600000 is passed like a key is; a file of that size, a digest with those digits are no secret."""
    world = make_world(tmp_path / "archive", {"SETTING": value})
    writer = world.begin()
    trial = writer.open_trial(world.keys[0], world.redactor)
    world.fill(trial, f"it is {value}")
    entry = Entry(path="big.bin", kind=FileKind.FILE, size=600000, sha256="600000" + "0" * 58)
    trial.write_json(
        "files.json",
        {"before": [], "after": as_json([entry]), "gone": [], "changes": [{"path": "big.bin", "change": "created"}]},
    )
    trial.seal(world.facts(world.keys[0], agent_seconds=1.6))
    writer.seal()

    kept = open_archive(world.root).trial(world.keys[0])
    assert kept is not None
    assert kept.files().after["big.bin"] == entry
    assert kept.answers() == ("it is [redacted SETTING]",)
    assert kept.facts.agent_seconds == 1.6
    assert kept.records()[0].raw == "it is [redacted SETTING]"
