"""Every kind of change that an audit tries, in the order of its table."""

from __future__ import annotations

from .answers import ANSWERS
from .arms import ARMS
from .hostside import HOST_SIDE
from .mutants import Mutation
from .notes import NOTES
from .streams import STREAMS
from .wireside import WIRE_SIDE

CATALOGUE: tuple[Mutation, ...] = (*HOST_SIDE, *WIRE_SIDE, *ANSWERS, *ARMS, *NOTES, *STREAMS)
