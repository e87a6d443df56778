"""The contract of the fixture, over HTTP and over stdio, in the way of the handshake's revisions."""

from __future__ import annotations

import json
import os
import subprocess

import httpx
import pytest

from skilltrial.testing.fixtures import FixtureContract, FixtureSubject
from skilltrial_fixture_mcp.fixture import McpFixture

REPLIES = b"scripts: {plain: {rules: [{tool: save, reply: {text: ok}}]}}"


def asked(arguments):
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "save", "arguments": arguments}}


def said(answer):
    return "".join(part["text"] for part in answer["result"]["content"])


def call(offer, arguments):
    headers = {"accept": "application/json, text/event-stream"}
    with httpx.Client(trust_env=False, verify=False, timeout=20) as http:
        reply = http.post(offer.url, json=asked(arguments), headers=headers)
    reply.raise_for_status()
    return said(reply.json())


def call_by_pipes(offer, arguments):
    ran = subprocess.run(
        offer.command,
        env=os.environ | dict(offer.environment),
        input=json.dumps(asked(arguments)).encode() + b"\n",
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    return said(json.loads(ran.stdout))


def subject_of(catalog, call, transport):
    return FixtureSubject(
        McpFixture(catalog="catalog.json", replies="replies.yaml", transport=transport),
        assets={"catalog.json": catalog, "replies.yaml": REPLIES},
        call=call,
        tool="save",
        arguments={"text": "KIT"},
        options={"script": "plain"},
        wrong_options={"script": "kit_unknown_script"},
    )


class TestFixture(FixtureContract):
    @pytest.fixture
    def subject(self, make_catalog, notes_tools) -> FixtureSubject:
        return subject_of(make_catalog(*notes_tools), call, "http")


class TestFixtureOverStdio(FixtureContract):
    @pytest.fixture
    def subject(self, make_catalog, notes_tools) -> FixtureSubject:
        return subject_of(make_catalog(*notes_tools), call_by_pipes, "stdio")
