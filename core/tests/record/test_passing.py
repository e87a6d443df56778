"""Variables that are passed on: by name, only those, and only where a provider is asked."""

from __future__ import annotations

import pytest

from skilltrial.model.errors import Exit, InvalidRequest
from skilltrial.record.passing import passed_through

OURS = {"API_KEY": "secret-canary-1", "OTHER": "secret-canary-2", "PATH": "/bin", "HOME": "/root", "EMPTY": ""}


def test_only_what_was_named_is_passed_and_it_is_hidden():
    passed, hidden = passed_through(["API_KEY"], live=True, ours=OURS)

    assert passed == {"API_KEY": "secret-canary-1"}
    assert hidden == passed


def test_a_name_given_twice_is_one():
    assert passed_through(["API_KEY", "API_KEY"], live=True, ours=OURS)[0] == {"API_KEY": "secret-canary-1"}


def test_a_rehearsal_lends_nothing_and_needs_nothing():
    assert passed_through(["API_KEY", "NOT_SET"], live=False, ours=OURS) == ({}, {})


def test_an_empty_value_is_passed_as_it_is():
    assert passed_through(["EMPTY"], live=True, ours=OURS)[0] == {"EMPTY": ""}


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["NOT_SET"], "NOT_SET can't be passed: not set"),
        (["NOT_SET", "API_KEY", "NOR_THIS"], "NOT_SET, NOR_THIS can't be passed"),
        (["HOME"], "HOME can't be passed: each place has its own"),
        (["PATH"], "PATH can't be passed"),
        (["API_KEY=secret-canary-1"], "without a value"),
        (["1KEY"], "name of an environment variable"),
        ([""], "name of an environment variable"),
        (["KEY\n"], "name of an environment variable"),
    ],
)
def test_what_can_not_be_passed_is_said_without_a_value(names, said):
    for live in (True, False) if "not set" not in said and "NOR_THIS" not in said else (True,):
        with pytest.raises(InvalidRequest) as caught:
            passed_through(names, live=live, ours=OURS)
        assert said in str(caught.value)
        assert "secret-canary" not in str(caught.value)
        assert caught.value.exit is Exit.INVALID


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"])
@pytest.mark.parametrize(
    ("address", "hidden"),
    [
        ("http://user:pass-canary@proxy:8080", {"pass-canary"}),
        ("http://user:p%40ss-canary@proxy:8080", {"p%40ss-canary", "p@ss-canary"}),
        ("http://proxy:8080", set()),
    ],
)
def test_the_credentials_of_a_proxy_are_hidden_in_a_live_run(name, address, hidden):
    _, secrets = passed_through([], live=True, ours={**OURS, name: address})

    assert hidden <= set(secrets.values())
    assert bool(secrets) is bool(hidden)
