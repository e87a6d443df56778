"""Lists of calls against lists of patterns, where some pairs can't be decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Pairs = Sequence[Sequence[bool | None]]
"""Row by row, whether its item goes with each column's; None where the evidence does not decide."""

Placing = Callable[[Sequence[Sequence[bool]]], bool]


def decided(pairs: Pairs, placing: Placing) -> bool | None:
    """Whether a placing exists; None where that hangs on pairs that are not decided."""
    if placing([[pair is True for pair in row] for row in pairs]):
        return True
    return None if placing([[pair is not False for pair in row] for row in pairs]) else False


def in_order(pairs: Sequence[Sequence[bool]]) -> bool:
    """Whether each row finds a column of its own, further right than the row before. The leftmost is always best."""
    column = 0
    for row in pairs:
        while column < len(row) and not row[column]:
            column += 1
        if column == len(row):
            return False
        column += 1
    return True


def in_any_order(pairs: Sequence[Sequence[bool]]) -> bool:
    """Whether each row finds a column of its own: rows make room for each other along alternating paths."""
    taken: dict[int, int] = {}

    def place(row: int, tried: set[int]) -> bool:
        for column, fits in enumerate(pairs[row]):
            if fits and column not in tried:
                tried.add(column)
                if column not in taken or place(taken[column], tried):
                    taken[column] = row
                    return True
        return False

    return all(place(row, set()) for row in range(len(pairs)))
