"""The innocent caller: it reads properties and asks questions all the while, and notes how long it waits."""

import random
import threading
import time
from dataclasses import dataclass

from bus.chappie import HTTP_ONLY, ROOT, CallFailed, Caller
from bus.connection import Gone, Unanswered

# How long it waits for anything before it gives up, in seconds.
LONGEST = 40
PROPERTIES = [("org.chappie.Session", "State"), ("org.chappie.Manager", "LockState"), ("org.chappie.Client", "Model")]


@dataclass
class Wait:
    start: float
    length: float

    @property
    def end(self):
        return self.start + self.length


class Bystander:
    """Measures between `begin` and `end`."""

    def __init__(self, world, secret):
        self.world, self.secret = world, secret
        self.random = random.Random(secret)
        self.reads, self.turns, self.pulse = [], [], []
        # What it was refused with, or waited for in vain.
        self.troubles = []
        # What a turn may be refused with, as in a keyring that an attack has locked.
        self.tolerated = ()
        self.usual_pulse = 0
        self.running = None

    def begin(self):
        self.reads, self.turns, self.pulse, self.troubles = [], [], [], []
        self.running = threading.Event()
        self.threads = [threading.Thread(target=self.repeat, args=(work, pause, list), daemon=True)
                        for work, pause, list in ((self.read, 0.02, self.reads), (self.ask, 0.1, self.turns),
                                                  (self.beat, 0.004, self.pulse))]
        for thread in self.threads:
            thread.start()

    def end(self):
        """Waits for what is under way."""
        self.running.set()
        for thread in self.threads:
            thread.join()

    def repeat(self, work, pause, waits):
        """Does some work again and again. It has a connection that stays, and makes others."""
        caller = None
        while not self.running.is_set():
            start = time.monotonic()
            try:
                caller = caller or Caller(self.world.address, LONGEST)
                work(caller)
            except CallFailed as failure:
                if failure.name.rpartition(".")[2] not in self.tolerated:
                    self.troubles.append(f"{work.__name__}: {failure}"[:200])
            except (Unanswered, Gone) as trouble:
                self.troubles.append(f"{work.__name__}: {trouble}")
                caller = None
            waits.append(Wait(start, time.monotonic() - start))
            self.running.wait(pause)
        if caller:
            caller.close()

    def read(self, caller):
        interface, name = self.random.choice(PROPERTIES)
        if self.random.random() < 0.2:
            with Caller(self.world.address, LONGEST) as newcomer:
                newcomer.property(ROOT, interface, name)
        else:
            caller.property(ROOT, interface, name)

    def ask(self, caller):
        """As a program that has just started."""
        with Caller(self.world.address, LONGEST) as newcomer:
            how = self.random.choice([{}, HTTP_ONLY])
            answer = newcomer.send(newcomer.open_client(**how), f"Thank you. {self.secret}")
            if answer != "You are welcome.":
                self.troubles.append(f"ask: a wrong answer of {len(answer)} characters")

    def beat(self, caller):
        caller.call("/", "org.example.Echo", "Ping", to=self.world.echo_name)

    # Figures

    def stuck(self, wait):
        """How much of a wait was the bus's or the machine's doing: what the echo took longer meanwhile than usual."""
        overlapping = (beat for beat in self.pulse if beat.start < wait.end and beat.end > wait.start)
        return sum(max(0, min(beat.end, wait.end) - max(beat.start, wait.start) - self.usual_pulse)
                   for beat in overlapping)

    def longest(self, waits):
        """The longest wait as it was, and the longest one of the service's own doing, in seconds."""
        return (max((wait.length for wait in waits), default=0),
                max((wait.length - self.stuck(wait) for wait in waits), default=0))
