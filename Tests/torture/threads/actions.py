"""The operations on threads in a round."""

from dataclasses import dataclass
from enum import Enum


class Outcome(Enum):
    PENDING = "has not begun"
    DONE = "has returned"
    REFUSED = "was refused"
    # The service or the caller ended before the reply.
    UNKNOWN = "was cut off"


@dataclass
class Action:
    """A call, or an operation of a second program."""
    kind: str
    # None for a new thread, and when the operation chooses it.
    thread: str = None
    # The message, which begins with the action's own tag; the title; the summary.
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

    def is_after(self, other):
        """Whether the other action had surely ended when this one began."""
        return other.ended < self.started


def possible(before, actions, value):
    """The possible values of a property that was `before` and that each of the actions sets."""
    happened = [action for action in actions if action.may_have_happened]
    values = [value(action) for action in happened
              if not any(other.is_done and other.is_after(action) for other in happened)]
    return values if any(action.is_done for action in happened) else [before, *values]
