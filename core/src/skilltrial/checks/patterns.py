"""Regular expressions that end: the dialect of the `regex` package, without flags, with a time limit."""

from __future__ import annotations

import math
import re

SECONDS = 1.0
"""How long one search may take, in processor time: a busy machine changes no answer."""

_LONGEST = 2_000
_MOST_REPEATS = 100_000
_COUNT = re.compile(r"\{(\d+)")


def pattern_fault(pattern: str) -> str | None:
    """What is wrong with a pattern, in words that do not repeat it; None where nothing is."""
    if len(pattern) > _LONGEST:
        return f"the pattern is longer than {_LONGEST} characters"
    # The package writes counted repeats out while it compiles: `(a{1000}){1000}` takes hundreds of megabytes.
    if math.prod(max(1, int(count)) for count in _COUNT.findall(pattern)) > _MOST_REPEATS:
        return f"the counts in braces multiply to more than {_MOST_REPEATS}"
    import regex  # slow to import, and few suites have a pattern

    try:
        regex.compile(pattern)
    except regex.error as error:
        return f"not a regular expression: {error}"
    except (RecursionError, OverflowError):
        return "not a regular expression that can be used: nested too deeply"
    return None


def finds(pattern: str, text: str, *, ignore_case: bool = False) -> bool:
    """Whether `text` holds a match anywhere. Raises TimeoutError after `SECONDS`, ValueError for a faulty pattern."""
    if fault := pattern_fault(pattern):
        raise ValueError(fault)
    import regex

    flags = regex.IGNORECASE if ignore_case else 0
    return regex.search(pattern, text, flags=flags, timeout=SECONDS) is not None
