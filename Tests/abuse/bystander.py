"""A well-behaved caller, which reads properties and asks questions throughout, and records the latency."""

import random
import statistics
import threading
import time
import urllib.request
from dataclasses import dataclass

from bus.chappie import HTTP_ONLY, ROOT, CallFailed, Caller
from bus.connection import Gone, Unanswered
from kernel import Watch, processor_time

# The timeout of a call, in seconds.
LONGEST = 40
# A service that does not run for so many seconds can miss a deadline of its own, such as the keyring's.
PAUSE = 2
PROPERTIES = [("org.chappie.Session", "State"), ("org.chappie.Manager", "LockState"), ("org.chappie.Client", "Model")]


@dataclass
class Wait:
    start: float
    length: float
    # The error of the refusal or of the timeout.
    trouble: str = None

    @property
    def end(self):
        return self.start + self.length


class Bystander:
    """Measures between `begin` and `end`."""

    def __init__(self, world, secret):
        self.world, self.secret = world, secret
        self.random = random.Random(secret)
        self.reads, self.turns = [], []
        # The time of the echo service meanwhile, and of the backend without the service in between.
        self.echoes, self.answers = [], []
        self.usual_echo = self.usual_answer = 0
        self.watch = Watch()
        # Errors that a turn may end with, for example while an attack has locked the keyring.
        self.tolerated = ()
        self.running = None

    def cost_of_read(self, count=500):
        """The service's processor time for a property read, in seconds."""
        pid = self.world.service.pid
        with Caller(self.world.address) as caller:
            before = processor_time(pid)
            for _ in range(count):
                caller.property(ROOT, *PROPERTIES[0])
            return (processor_time(pid) - before) / count

    def begin(self):
        self.reads, self.turns, self.echoes, self.answers = [], [], [], []
        self.watch.begin(self.world.service.pid)
        self.running = threading.Event()
        self.threads = [threading.Thread(target=self.repeat, args=(work, pause, list), daemon=True)
                        for work, pause, list in ((self.read, 0.02, self.reads), (self.ask, 0.1, self.turns),
                                                  (self.echo, 0.004, self.echoes),
                                                  (self.ask_backend, 0.05, self.answers))]
        for thread in self.threads:
            thread.start()

    def end(self):
        """Waits for the calls in progress."""
        self.running.set()
        for thread in self.threads:
            thread.join()
        self.watch.end()

    def repeat(self, work, pause, waits):
        """Does some work repeatedly, over one lasting connection and over new ones."""
        caller = None
        while not self.running.is_set():
            start, trouble = time.monotonic(), None
            try:
                caller = caller or Caller(self.world.address, LONGEST)
                work(caller)
            except CallFailed as failure:
                if failure.name.rpartition(".")[2] not in self.tolerated:
                    trouble = f"{work.__name__}: {failure}"[:200]
            except (Unanswered, Gone, OSError) as failure:
                trouble = f"{work.__name__}: {failure}"
                caller = None
            waits.append(Wait(start, time.monotonic() - start, trouble))
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
        """Asks over a new connection, as a program that has just started."""
        with Caller(self.world.address, LONGEST) as newcomer:
            how = self.random.choice([{}, HTTP_ONLY])
            answer = newcomer.send(newcomer.open_client(**how), f"Thank you. {self.secret}")
            if answer != "You are welcome.":
                raise Gone(f"a wrong answer of {len(answer)} characters")

    def echo(self, caller):
        caller.call("/", "org.example.Echo", "Ping", to=self.world.echo_name)

    def ask_backend(self, caller):
        question = b'{"input": []}'
        with urllib.request.urlopen(f"{self.world.backend_url}/codex/responses", question, LONGEST) as answer:
            answer.read()

    # Figures

    def note_usual(self):
        """Records the present times of the echo service and the backend as their usual times."""
        self.usual_echo = 2 * statistics.median(wait.length for wait in self.echoes)
        self.usual_answer = 2 * statistics.median(wait.length for wait in self.answers)

    def troubles(self):
        """The failures, without those of a machine that did not let the service run for seconds."""
        return [wait.trouble for wait in self.reads + self.turns + self.echoes + self.answers
                if wait.trouble and wait.length - self.own(wait) < PAUSE]

    @staticmethod
    def excess(wait, others, usual):
        """The time by which others exceeded their usual time during a wait."""
        return sum(max(0, min(other.end, wait.end) - max(other.start, wait.start) - usual)
                   for other in others if other.start < wait.end and other.end > wait.start)

    def own(self, wait):
        """A wait without the time that the bus took, and without the time that other processes ran."""
        return max(0, wait.length - self.excess(wait, self.echoes, self.usual_echo)
                   - self.watch.held_up(wait.start, wait.end))

    def longest_read(self):
        """The longest wait in all, and the longest wait that the service itself caused, in seconds."""
        return (max((read.length for read in self.reads), default=0),
                max((self.own(read) for read in self.reads), default=0))

    def longest_turn(self):
        """The same for turns, also without the backend's time."""
        own = (self.own(turn) - self.excess(turn, self.answers, self.usual_answer) for turn in self.turns)
        return max((turn.length for turn in self.turns), default=0), max(0, max(own, default=0))
