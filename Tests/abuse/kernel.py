"""The kernel's view of the service: its memory, its open files, its processor time."""

import os
import re
import threading
import time
from bisect import bisect
from dataclasses import dataclass
from pathlib import Path

MIB = 1 << 20


def resident(pid):
    """Resident memory in bytes; 0 where the process is gone."""
    return field(pid, "VmRSS")


def field(pid, name):
    try:
        found = re.search(rf"^{name}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.M)
    except OSError:
        found = None
    return int(found[1]) * 1024 if found else 0


@dataclass
class Footprint:
    memory: int
    # Open files and sockets; 0 where the kernel does not let us count them.
    descriptors: int


def footprint(pid):
    try:
        descriptors = len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        descriptors = 0
    return Footprint(resident(pid), descriptors)


class Watch:
    """The service from `begin` to `end`: its peak memory, and the times when it was ready and did not run."""

    def begin(self, pid):
        self.pid, self.most = pid, 0
        self.times, self.delays = [], []
        try:
            # The kernel counts the peak from here on.
            Path(f"/proc/{pid}/clear_refs").write_text("5")
            self.figure = "VmHWM"
        except OSError:
            self.figure = "VmRSS"
        self.threads = [task for task in Path(f"/proc/{pid}/task").glob("*") if serves(task, pid)]
        self.last = [run_delay(thread) for thread in self.threads]
        self.over = threading.Event()
        self.sampler = threading.Thread(target=self.sample, daemon=True)
        self.sampler.start()

    def sample(self):
        while not self.over.wait(0.01):
            self.most = max(self.most, field(self.pid, self.figure))
            self.note([run_delay(thread) for thread in self.threads])

    def note(self, delays):
        """Adds the delay of the thread that waited longest since the last sample: threads wait in parallel."""
        longest = max((now - before for now, before in zip(delays, self.last)), default=0)
        self.delays.append((self.delays[-1] if self.delays else 0) + longest)
        self.times.append(time.monotonic())
        self.last = delays

    def end(self):
        self.over.set()
        self.sampler.join()

    def held_up(self, start, end):
        """The time in which other processes ran instead, in seconds."""
        if not self.times:
            return 0
        before = max(0, bisect(self.times, start) - 1)
        after = min(len(self.times) - 1, bisect(self.times, end))
        return max(0, self.delays[after] - self.delays[before])


def serves(task, pid):
    """Whether all calls go through this thread: the service's first one, and GDBus's."""
    try:
        return task.name == str(pid) or (task / "comm").read_text().strip() == "gdbus"
    except OSError:
        return False


def processor_time(pid):
    """The running time of the threads that all calls go through, in seconds."""
    return sum(int((task / "schedstat").read_text().split()[0])
               for task in Path(f"/proc/{pid}/task").glob("*") if serves(task, pid)) / 1e9


def run_delay(task):
    """The time in which a thread was ready and waited for a processor, in seconds."""
    try:
        return int((task / "schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0
