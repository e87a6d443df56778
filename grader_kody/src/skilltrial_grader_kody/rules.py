"""What each rule asks for, in a sentence."""

from __future__ import annotations

RULES: dict[str, str] = {
    "R1": "the first event is a search",
    "R2": "something is searched",
    "R3": "the last event is the one that the route ends with",
    "R4": "what the route ends with happens once",
    "R5": "there are at most eight authoring steps",
    "R6": "everything that the route requires happens",
    "R7": "nothing happens that does not belong to the route",
    "R8": "at most three events only read",
    "R9": "no call fails",
    "R10": "one call has one input and one output",
    "R11": "what is executed has code",
    "R12": "no authoring is hidden in another event",
    "R13": "an authoring event authors",
    "R14": "an inspection reads guidance or source",
    "R15": "a one-off keeps nothing",
    "R16": "no removed scheduling primitive is called",
    "R17": "the one reminder is deferred with runAt",
    "R18": "the entry that is said to be run is run",
    "R19": "authoring changes something",
    "R20": "a search finds the entry that does the job",
    "R21": "the entry that is run is one that a search found",
    "R22": "a saved entry that does the job is used",
    "code": "the code does something, and can be followed",
    "unclear": "nothing is called or made that may be anything",
    "schedule": "no schedule is touched, and nothing is deferred, where that is not what was asked",
    "execution": "no saved package or other work is run where that is not what was asked",
    "other-work": "no other work is done",
    "twice": "the one reminder is deferred once",
    "result": "what is said to have succeeded returned no error",
}
"""Rule → what it asks for. The strict profile has those in small letters; P1 to P6 are about transcripts."""
