from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Attack:
    name: str
    # The number of the group that it belongs to.
    numbers: str
    # A function of an Attacker.
    act: Callable
    # The keyring is locked meanwhile, so turns of signed-in callers are refused.
    locks_keyring: bool = False
    # The seconds that it needs to start.
    least: float = 0
