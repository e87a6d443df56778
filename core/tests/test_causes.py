"""What hosts say alike about a failed request: by its status, and who has to act."""

from __future__ import annotations

import pytest

from skilltrial.api import Cause, Owner
from skilltrial.causes import cause_of_status, cause_of_words, owner_of_cause


@pytest.mark.parametrize(
    ("status", "cause"),
    [
        *((401, Cause.AUTH), (403, Cause.AUTH), (402, Cause.QUOTA), (408, Cause.TRANSPORT), (413, Cause.CONTEXT)),
        *((429, Cause.RATE_LIMIT), (500, Cause.SERVER), (503, Cause.SERVER), (529, Cause.SERVER)),
        *((400, None), (404, None), (200, None), (0, None), (-1, None)),
    ],
)
def test_a_status_that_means_one_thing_has_a_cause(status: int, cause: Cause | None) -> None:
    assert cause_of_status(status) is cause


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        ('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', Cause.SERVER),
        ('{"message":"x","type":"rate_limit_error","code":"rate_limit_exceeded"}', Cause.RATE_LIMIT),
        ('{"type":"invalid_request_error","code":"context_length_exceeded"}', Cause.CONTEXT),
        ("billing_error", Cause.QUOTA),
        ("insufficient_quota: pay", Cause.QUOTA),
        ("authentication_error", Cause.AUTH),
        ("not_an_authentication_error", None),
        ("server_errors", None),
        ("invalid_request_error", None),
        ("", None),
    ],
)
def test_a_providers_word_in_a_message_is_found_whole(message: str, cause: Cause | None) -> None:
    assert cause_of_words(message) is cause


@pytest.mark.parametrize("cause", Cause)
def test_every_cause_has_an_owner_and_none_is_the_graders(cause: Cause) -> None:
    wanted = {
        Cause.AUTH: Owner.OPERATOR,
        Cause.QUOTA: Owner.OPERATOR,
        Cause.CONTEXT: Owner.AGENT,
        Cause.UNCLASSIFIED: Owner.HOST,
    }

    assert owner_of_cause(cause) is wanted.get(cause, Owner.MODEL)
