"""How much memory, and how many open files, the service has."""

import os
import re
import threading
import time
from dataclasses import dataclass
from pathlib import Path

MIB = 1 << 20


def resident(pid):
    """In bytes; 0 where it is gone."""
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


class Peak:
    """The most memory from `begin` to `end`: sampled, and where the kernel lets us, its own figure."""

    def begin(self, pid):
        self.pid, self.most = pid, 0
        try:
            Path(f"/proc/{pid}/clear_refs").write_text("5")
            self.is_exact = True
        except OSError:
            self.is_exact = False
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.sample, daemon=True)
        self.thread.start()

    def sample(self):
        while not self.over.wait(0.01):
            self.most = max(self.most, resident(self.pid))
            if self.is_exact:
                self.most = max(self.most, field(self.pid, "VmHWM"))

    def end(self):
        self.over.set()
        self.thread.join()
        return self.most
