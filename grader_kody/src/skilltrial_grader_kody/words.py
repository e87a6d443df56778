"""The closed sets of words: routes, actions, statuses, and the names of Kody's operations."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

EVAL_NAME: Literal["package-discovery-routing"] = "package-discovery-routing"


class Route(StrEnum):
    """The three ways to a goal, in the order of the report."""

    EXISTING = "existing"
    ONE_OFF = "execute-one-off"
    AUTHORING = "package-authoring"


class Action(StrEnum):
    """What a lifecycle event was recorded as."""

    SEARCH = "search"
    INVOKE = "invoke-existing"
    ONE_OFF = "execute-one-off"
    INSPECT = "inspect-authoring-guidance"
    AUTHOR = "author-package"
    OTHER = "other-execute"


class Status(StrEnum):
    """Of a case in the report."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    UNDECIDABLE = "undecidable"
    """Only in the strict profile: the evidence does not decide it. Never a pass."""


class Profile(StrEnum):
    """How code is looked at."""

    STRICT = "strict"
    """By what it does."""
    ORIGINAL = "original"
    """By the words in its text, as the original scorer does."""


DEFERRED_CASE = "schedule-single-reminder"
"""The one case with a rule of its own: its work must be deferred."""

AUTHORING = frozenset(
    {
        "packageSave",
        "packageGetGitRemote",
        "packagePublishExternalPush",
        "repoOpenSession",
        "repoEditFiles",
        "repoApplyPatch",
        "repoRunChecks",
        "repoPublishSession",
    }
)
"""Operations that belong to authoring."""

MUTATIONS = frozenset(
    {"packageSave", "packagePublishExternalPush", "repoEditFiles", "repoApplyPatch", "repoPublishSession"}
)
"""Those of them that change a package."""

GUIDANCE = frozenset({"codingGuideGet", "packageGet"})
"""Operations that read guidance."""

REMOVED = frozenset({"job_schedule", "job_schedule_once"})
"""Scheduling primitives that exist no more."""
