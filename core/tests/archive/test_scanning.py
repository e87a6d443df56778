"""Scanning: what has the shape of a credential is found wherever it lies, and the text itself is told nowhere."""

from __future__ import annotations

import gzip
import os

import pytest

from skilltrial.archive import scanning
from skilltrial.archive.scanning import Hit, scan

LETTERS = "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cF" * 3
# Put together here, so that no scanner takes this file for a leak.
SAMPLES = {
    "private key": "-----BEGIN " + "RSA PRIVATE KEY-----",
    "Anthropic key": "sk-" + "ant-api03-" + LETTERS[:40],
    "OpenAI key": "sk-" + "proj-" + LETTERS[:48],
    "GitHub token": "ghp" + "_" + LETTERS[:36],
    "GitLab token": "glpat" + "-" + LETTERS[:20],
    "AWS access key": "AKIA" + "ABCDEFGHIJ234567",
    "Google key": "AIza" + LETTERS[:35],
    "Slack token": "xoxb" + "-1234567890-" + LETTERS[:12],
    "Stripe key": "sk" + "_live_" + LETTERS[:24],
    "npm token": "npm" + "_" + LETTERS[:36],
    "PyPI token": "pypi" + "-" + LETTERS[:60],
    "Hugging Face token": "hf" + "_" + LETTERS[:34],
    "JSON Web Token": "eyJ" + LETTERS[:12] + ".eyJ" + LETTERS[:12] + "." + LETTERS[:20],
    "bearer header": "Authorization: " + "Bearer " + LETTERS[:30],
    "password in an address": "https://user:" + "hunter2@example.org/x",
}


@pytest.mark.parametrize("shape", SAMPLES)
def test_a_shape_is_found_in_utf16_and_in_compressed_files(tmp_path, shape):
    text = f"first line\nx={SAMPLES[shape]},\n"
    (tmp_path / "le.txt").write_bytes(text.encode("utf-16-le"))
    (tmp_path / "be.txt").write_bytes(text.encode("utf-16"))
    (tmp_path / "log.gz").write_bytes(gzip.compress(text.encode()))

    assert set(scan(tmp_path)) >= {Hit("be.txt", 2, shape), Hit("le.txt", 2, shape), Hit("log.gz", 1, shape)}


def test_there_is_a_sample_of_every_shape():
    assert set(SAMPLES) == set(scanning.SHAPES)


@pytest.mark.parametrize("shape", SAMPLES)
@pytest.mark.parametrize("around", ["{}", 'say "{}"', "x={},", '{{"raw": "\\"{}\\""}}', "\\n{}\\n"])
def test_a_shape_is_found_with_file_and_line_and_its_text_is_not_told(tmp_path, shape, around):
    (tmp_path / "deep").mkdir()
    text = around.format(SAMPLES[shape])
    (tmp_path / "deep/host.jsonl").write_text(f"first line\n{text}\n")

    hits = list(scan(tmp_path))

    assert Hit("deep/host.jsonl", 2, shape) in hits
    assert str(hits[0]).startswith("deep/host.jsonl:2: ")
    assert all(SAMPLES[shape][8:] not in str(hit) for hit in hits)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 64,
        "sha256 " + "0123456789abcdef" * 4,
        "sk-short",
        "ghp_short",
        "https://example.org/user:x",
        "task-risk-" + "a" * 9,
    ],
)
def test_what_has_no_such_shape_is_not_cried_at(tmp_path, text):
    (tmp_path / "file").write_text(text)

    assert list(scan(tmp_path)) == []


def test_a_key_between_two_pieces_of_a_big_file_is_found_once(tmp_path, monkeypatch):
    monkeypatch.setattr(scanning, "_CHUNK", 10_000)
    monkeypatch.setattr(scanning, "_OVERLAP", 500)
    key = SAMPLES["GitHub token"]
    for before in (9_970, 9_990, 10_000, 10_020):
        (tmp_path / "big").write_text("line\n" * (before // 5) + key + "\n" + "x\n" * 20_000)
        assert [str(hit) for hit in scan(tmp_path)] == [f"big:{before // 5 + 1}: GitHub token"]


def test_links_and_pipes_are_not_followed(tmp_path):
    outside = tmp_path / "outside"
    outside.write_text(SAMPLES["npm token"])
    root = tmp_path / "archive"
    root.mkdir()
    (root / "link").symlink_to(outside)
    os.mkfifo(root / "pipe")

    assert list(scan(root)) == []


def test_hits_are_in_the_order_of_files_and_lines(tmp_path):
    for name in ("b", "a"):
        (tmp_path / name).write_text(f"{SAMPLES['npm token']}\n{SAMPLES['GitLab token']}\n")

    assert [(hit.file, hit.line) for hit in scan(tmp_path)] == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
