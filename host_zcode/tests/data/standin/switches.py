"""What the stand-in is to do wrong, or without a model: a JSON object in ZCODE_STANDIN."""

import json
import os
from dataclasses import dataclass, field


@dataclass
class Switches:
    """Without any it does all as it is written down."""

    script: "list | None" = None
    """Replies in place of a model's: `{"text": "..."}`, `{"calls": [[name, input], ...]}`, `{"status": 429}`."""
    refuses: "str | None" = None
    """It does not start, for this reason."""
    die_after: str = ""
    """It exits with 7 when a request of this method, or an event of this type, has gone out."""
    swallow: str = ""
    """A request of this method is never answered."""
    hang: bool = False
    """A turn never ends."""
    drop: list = field(default_factory=list)
    """Notifications of these event types, or state reasons, are not sent; their numbers are used up."""
    twice: str = ""
    """An event of this type is sent twice."""
    strange: bool = False
    """An event of a type never heard of is sent, and one of another session."""
    noise: int = 0
    """So many KiB of standard error, before anything else."""
    no_model: bool = False
    """A turn fails while its model is made: without having begun."""
    late_error: bool = False
    """After a tool's result an error of the same call comes too."""
    mute: bool = False
    """Answers of the client's never arrive."""
    busy: int = 0
    """So many prompts are refused since another one is running."""
    patience: float = 15.0
    """Seconds that an answer of the client's may take."""
    again: float = 1.0
    """Seconds after which a question is asked again."""
    background: bool = False
    """A turn of the program's own comes before and after that of the prompt."""
    another: str = ""
    """What is resumed is told under this id."""
    disagree: bool = False
    """What is scheduled has another input than what was streamed."""
    deaf: bool = False
    """What a client decides is told the other way round."""
    result: str = "success"
    """How a turn completes."""
    raw: str = ""
    """A line that is printed before the answer to a prompt."""
    code: int = 0
    """What it exits with."""
    no_catalog: bool = False
    """It knows nothing of `skills/referenceCatalog`."""

    @classmethod
    def read(cls):
        return cls(**json.loads(os.environ.get("ZCODE_STANDIN") or "{}"))
