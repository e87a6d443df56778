"""The closed sets of words in which a run is told: endings, causes, owners, outcomes, verdicts, evidence kinds."""

from __future__ import annotations

from enum import StrEnum

IDLE_AGENTS = ("null", "talker")
"""Built-in agents of a rehearsal that do nothing: a case that one of them passes can't fail."""
BUILT_IN_AGENTS = (*IDLE_AGENTS, "wrecker")
"""The agents that every case is rehearsed with, and that must not pass any: no script has their names."""


class Source(StrEnum):
    """Where a record came from."""

    STDOUT = "stdout"
    STDERR = "stderr"
    SESSION_LOG = "session_log"
    WIRE = "wire"
    MODEL = "model"
    RUNNER = "runner"


class Ending(StrEnum):
    """How a session ended. Only `completed` can lead to a passed or failed trial."""

    COMPLETED = "completed"
    HOST_FAILED = "host_failed"
    HOST_UNAVAILABLE = "host_unavailable"
    TIME_LIMIT = "time_limit"
    OUTPUT_LIMIT = "output_limit"
    INVALID_EVENTS = "invalid_events"
    INTERRUPTED = "interrupted"
    NOT_BEGUN = "not_begun"
    """No session was opened: what the trial presupposes was not there."""


class Cause(StrEnum):
    """Why a host failed, as far as it said so in a structured way."""

    AUTH = "auth"
    RATE_LIMIT = "rate_limit"
    QUOTA = "quota"
    CONTEXT = "context"
    SERVER = "server"
    TRANSPORT = "transport"
    REFUSAL = "refusal"
    EMPTY = "empty"
    UNCLASSIFIED = "unclassified"


class Owner(StrEnum):
    """Who has to act on a verdict that is not `passed` or `failed`."""

    AGENT = "agent"
    HOST = "host"
    FIXTURE = "fixture"
    MODEL = "model"
    GRADER = "grader"
    OPERATOR = "operator"


class Outcome(StrEnum):
    """Of a check."""

    PASSED = "passed"
    FAILED = "failed"
    UNVERIFIED = "unverified"


class VerdictKind(StrEnum):
    """Of a trial; the last three come with a reason and an owner."""

    PASSED = "passed"
    FAILED = "failed"
    UNVERIFIED = "unverified"
    INCOMPLETE = "incomplete"
    SKIPPED = "skipped"


class EvidenceKind(StrEnum):
    """What really ran. Follows from the parts that took part, never from a flag."""

    LIVE_CODEX = "live-codex-subprocess"
    LIVE_CLAUDE = "live-claude-code-subprocess"
    LIVE_PORTABLE = "live-portable-subprocess"
    LIVE_ZCODE = "live-zcode-app-server"
    LIVE_SERVER = "live-server"
    SCRIPTED_MODEL = "scripted-model"
    STAND_IN_HOST = "stand-in-host"
    IMPORTED = "imported"
