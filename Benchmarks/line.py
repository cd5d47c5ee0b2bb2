"""The rows of turns over a socket of their own, and of a service that idles."""

import re
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from row import Row

SERVICE = "org.chappie"
PERIODS = {"median, us": ("median_us", 1.3), "99th percentile, us": ("p99_us", 2)}


class LineRows:
    """Measures the lines of the service beside those of a relay in C, and beside signals over the bus.

    The ways of one measurement are a name each: the service and the relays over lines, and with "/bus" behind the
    name over the bus.
    """

    def __init__(self, bench, transport):
        self.bench = bench
        self.world = bench.world
        self.transport = transport
        self.relays = transport.relays

    def start(self, services):
        self.bench.use(self.transport)
        for service in services:
            self.bench.warm_up(service)
        self.pids = {service: self.world.pid(service) for service in services}

    def run(self, way, **options):
        service, _, bus = way.partition("/")
        flags = [] if bus else ["--line"]
        result = self.world.run_client(self.bench.client, service, *flags, pid=self.pids[service], **options)
        return result | {"cpu": result["cpu_seconds"] / result["deltas"] * 10000}

    def ways(self, floors):
        own = [*self.bench.measured, *(f"{name}/bus" for name in self.bench.measured)]
        return [*own, *self.relays, *(f"{name}/bus" for name in floors)]

    def against(self, title, results, key, hold, own, floor, control=None, **options):
        """A row of one way's figure, in its ratio to another's."""
        def median(way):
            return way and way in results and statistics.median(result[key] for result in results[way]) or None
        repetitions = len(next(iter(results.values())))
        return Row(title, median(own), median(floor), median(control), hold, repetitions, **options)

    def latency(self, rate, seconds):
        floors = list(self.transport.floors if rate < 1000 else self.transport.coalescing)
        count = int(rate * (seconds / 2 if self.bench.quick else seconds))
        ways = self.ways(floors)
        self.start(dict.fromkeys(way.partition("/")[0] for way in ways))
        results = self.bench.repeat(15, ways, lambda way: self.run(way, rate=rate, count=count))
        relay, again = self.relays
        for name, (key, hold) in PERIODS.items():
            yield self.against(f"latency, line, {rate}/s, {name}", results, key, hold, SERVICE, relay, again)
            yield self.against(f"… to the bus's floor, {name}", results, key, 0.6, SERVICE, f"{floors[0]}/bus",
                               f"{floors[1]}/bus")
        yield self.against(f"cpu s per 10,000 deltas, line to own bus, {rate}/s", results, "cpu", 0.5, SERVICE,
                           f"{SERVICE}/bus")

    def flat_out(self, turns, count):
        count = count // 10 if self.bench.quick else count
        services = [*self.bench.measured, *self.relays]
        self.start(services)
        results = self.bench.repeat(7, services, lambda way: self.run(way, rate=0, turns=turns, count=count))
        name = f"flat out, {turns} turn{'s' if turns > 1 else ''}"
        yield self.against(f"deltas per s, line, {name}", results, "deltas_per_second", 0.8, SERVICE, *self.relays,
                           at_least=True)
        yield self.against(f"cpu s per 10,000 deltas, line, {name}", results, "cpu", 1.5, SERVICE, *self.relays)

    def many(self):
        """256 turns at once, of four programs, because one may have 64."""
        services = [*self.bench.measured, *self.relays]
        self.start(services)

        def measure(service):
            with ThreadPoolExecutor(4) as pool:
                runs = [pool.submit(self.run, service, rate=10, count=20 if self.bench.quick else 60, turns=64) for _ in range(4)]
                results = [run.result() for run in runs]
            return {key: max(result[key] for result in results) for key, _ in PERIODS.values()}

        results = self.bench.repeat(7, services, measure)
        for name, (key, hold) in PERIODS.items():
            yield self.against(f"latency, 256 lines, 10/s each, {name}", results, key, hold, SERVICE, *self.relays)

    def first(self):
        """The first delta after OpenTurn, the connection to the backend included."""
        services = [*self.bench.measured, *self.relays]
        self.start(services)

        def measure(service, stops):
            if stops:
                self.world.stop(service)
            return self.world.run_client(self.bench.client, service, "--line", rate=0, count=1)

        cold, warm = (self.bench.repeat(15, services, lambda service: measure(service, stops)) for stops in (True, False))
        name = f"first delta after OpenTurn, {self.transport.title}"
        yield self.against(f"{name}, cold, ms", cold, "first_ms", 2.5, SERVICE, *self.relays)
        # The relay reads no keyring. The difference is what a user could notice.
        row = self.against(f"{name}, warm, ms more", warm, "first_ms", 10, SERVICE, *self.relays,
                           absolute=True)
        if row.service:
            row.service -= row.floor
        yield row

    def idle(self, seconds):
        """A service with eight followers and nothing to do."""
        service = next(iter([*self.bench.measured, *self.relays]))
        self.start([service])
        followers = [self.world.spawn(f"follower-{number}", self.bench.client, "--name", service, "--follow")
                     for number in range(8 if self.bench.measured else 0)]
        # What the turns of the warm-up left open has been closed.
        time.sleep(5 if self.bench.quick else 130)
        before = self.spent(service)
        time.sleep(seconds)
        after = self.spent(service)
        for follower in followers:
            follower.terminate()
        cpu = after[0] - before[0]
        wake_ups = sum(count - before[1].get(thread, 0) for thread, count in after[1].items())
        figures = {f"idle for {seconds} s, 8 followers, processor ms": (cpu * 1000, 1),
                   f"idle for {seconds} s, 8 followers, wake-ups per s": (round(wake_ups / seconds, 1), 0),
                   f"idle for {seconds} s, 8 followers, resident MiB": (self.world.resident_mib(service), 24)}
        for title, (figure, hold) in figures.items():
            yield Row(title, figure, None, None, hold, 1, absolute=True)

    def spent(self, service):
        """Processor seconds of the process, and how often each of its threads was woken."""
        pid = self.pids[service]
        wake_ups = {task.name: int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", (task / "status").read_text(),
                                             re.M)[1])
                    for task in Path(f"/proc/{pid}/task").iterdir()}
        # As clock_getcpuclockid: ended threads count.
        return time.clock_gettime(~pid << 3 | 2), wake_ups

    def groups(self, idle_seconds):
        groups = {f"line-latency-{rate}": lambda rate=rate, seconds=seconds: self.latency(rate, seconds)
                  for rate, seconds in ((100, 2), (200, 2), (1000, 1.5))}
        groups |= {f"line-flat-{turns}": lambda turns=turns, count=count: self.flat_out(turns, count)
                   for turns, count in ((1, 100000), (32, 4000))}
        return groups | {"line-many": self.many, "idle": lambda: self.idle(idle_seconds)}
