from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Attack:
    name: str
    # Of the issue that it belongs to.
    numbers: str
    # Takes an Attacker.
    act: Callable
    # The keyring is locked meanwhile, so that turns of those who are signed in are refused.
    locks_keyring: bool = False
    # The seconds that it needs to get going.
    least: float = 0
