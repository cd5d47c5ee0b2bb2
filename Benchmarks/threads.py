"""The rows of the file store of threads, which is measured without a service."""

import statistics
import subprocess

from row import Row


class ThreadStore:
    def __init__(self, program, directory, quick):
        self.program = program
        self.directory = directory
        self.count = 1000 if quick else 10000

    def run(self, verb, name, *numbers):
        """The program's output, as numbers."""
        arguments = [self.program, verb, self.directory / name, *map(str, numbers)]
        printed = subprocess.run(arguments, check=True, capture_output=True, text=True, timeout=600).stdout
        return [float(word) for word in printed.split()]

    def rows(self, repetitions):
        yield self.append(repetitions)
        yield from self.list(repetitions)
        yield self.open(repetitions)

    def append(self, repetitions):
        """The long thread is the measured one, a short one the floor, and another short one the control."""
        threads = {"long": self.count, "short": 10, "short-again": 10}
        times = {name: [] for name in threads}
        for _ in range(repetitions):
            for name, turns in threads.items():
                times[name] += self.run("append", name, turns)
        long, short, again = (statistics.median(figures) for figures in times.values())
        return Row(f"threads, append to {self.count} turns, to 10 (floor), us", long, short, again, 1.3, repetitions)

    def list(self, repetitions):
        self.run("fill", "many", self.count)
        listed = [self.run("list", "many") for _ in range(repetitions)]
        for name, column, hold in (("cold", 0, 50), ("warm", 1, 5)):
            figure = statistics.median(times[column] for times in listed)
            yield Row(f"threads, list {self.count}, {name}, ms", figure, None, None, hold, repetitions, absolute=True)

    def open(self, repetitions):
        """The program repeats it by itself. The limit is this project's own."""
        figures = [self.run("open", "large", 10)[0] for _ in range(repetitions)]
        return Row("threads, open one of 10 MB, ms", statistics.median(figures), None, None, 500, repetitions,
                   absolute=True)
