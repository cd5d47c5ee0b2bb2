"""What is asked of the threads in a round."""

from dataclasses import dataclass
from enum import Enum


class Outcome(Enum):
    PENDING = "has not begun"
    DONE = "has returned"
    REFUSED = "was refused"
    # The service, or whoever did it, was gone before it said.
    UNKNOWN = "was cut off"


@dataclass
class Deed:
    """A call, or a second program's."""
    kind: str
    # None for a new one, and where whoever does it chooses.
    thread: str = None
    # The message, which begins with the deed's own tag; the title; the summary.
    text: str = ""
    tag: str = ""
    outcome: Outcome = Outcome.PENDING
    refusal: str = None
    answer: str = None
    started: float = 0
    ended: float = float("inf")
    # Whether its turn was found in a thread.
    is_stored: bool = False

    TURNS = ("send", "stream", "abandon", "remember")

    @property
    def is_turn(self):
        return self.kind in self.TURNS

    @property
    def is_done(self):
        return self.outcome is Outcome.DONE

    @property
    def may_have_happened(self):
        return self.outcome in (Outcome.DONE, Outcome.UNKNOWN)

    def is_behind(self, other):
        """Whether the other had surely ended when this one began."""
        return other.ended < self.started


def possible(before, deeds, value):
    """The values that something can have which each of the deeds sets, and that was `before`."""
    happened = [deed for deed in deeds if deed.may_have_happened]
    values = [value(deed) for deed in happened
              if not any(other.is_done and other.is_behind(deed) for other in happened)]
    return values if any(deed.is_done for deed in happened) else [before, *values]
