#!/usr/bin/env python3
"""The account of one delta: what the service and the floor spend on it. See README.md."""

import argparse
import re
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import bench
from world import World

LOADS = {"100/s": dict(rate=100, count=300), "1000/s": dict(rate=1000, count=2000),
         "flat 1": dict(rate=0, count=100000), "flat 32": dict(rate=0, count=4000, turns=32)}
COUNTERS = ("allocations", "allocated bytes", "copied bytes", "locks")


class Account:
    def __init__(self, world, client, *flags):
        self.world = world
        self.client = client
        self.flags = flags

    def wake_ups(self, pid):
        """How often the threads of the process slept and were woken."""
        return sum(int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", (task / "status").read_text(), re.M)[1])
                   for task in Path(f"/proc/{pid}/task").iterdir())

    def counters(self, pid):
        """The counters of account.c; none without --preload."""
        try:
            data = (self.world.root / "account" / str(pid)).read_bytes()
        except FileNotFoundError:
            return {}
        return dict(zip(COUNTERS, struct.unpack(f"{len(COUNTERS)}Q", data)))

    def run(self, service, **load):
        """What a run costs per delta."""
        pid = self.world.pid(service)
        before, slept = self.counters(pid), self.wake_ups(pid)
        result = self.world.run_client(self.client, service, *self.flags, pid=pid, **load)
        deltas = result["deltas"]
        after = self.counters(pid)
        account = {name: (after[name] - before[name]) / deltas for name in after}
        account["wake-ups"] = (self.wake_ups(pid) - slept) / deltas
        account["signals"] = result["signals"] / deltas
        account["cpu us"] = result["cpu_seconds"] * 1e6 / deltas
        return account

    def traced(self, service, **load):
        """System calls per delta."""
        pid = self.world.pid(service)
        log = self.world.root / "trace"
        tracer = subprocess.Popen(["perf", "trace", "-s", "-p", str(pid), "-o", str(log)], stderr=subprocess.DEVNULL)
        time.sleep(1)
        result = self.world.run_client(self.client, service, *self.flags, pid=pid, **load)
        time.sleep(0.2)
        tracer.send_signal(signal.SIGINT)
        try:
            tracer.wait(60)
        except subprocess.TimeoutExpired:
            tracer.kill()
        calls = {}
        for name, count in re.findall(r"^   (\w+)\s+(\d+)\s+\d+\s", log.read_text(), re.M):
            calls[name] = calls.get(name, 0) + int(count)
        return {name: count / result["deltas"] for name, count in calls.items()
                if count / result["deltas"] >= 0.005}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chappied", type=Path, required=True)
    parser.add_argument("--sandbox", type=Path, required=True)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--preload", action="store_true", help="count allocations, copies and locks")
    parser.add_argument("--line", action="store_true", help="over sockets of the turns, beside the relay")
    parser.add_argument("--transports", default="websocket,sse")
    parser.add_argument("--loads", default=",".join(LOADS))
    arguments = parser.parse_args()
    arguments.floor_only = False
    for name in ("build", "chappied", "sandbox"):
        setattr(arguments, name, getattr(arguments, name).resolve())
    with World() as world:
        if arguments.preload:
            (world.root / "account").mkdir()
            world.environment |= {"ACCOUNT": str(world.root / "account"),
                                  "LD_PRELOAD": str(arguments.build / "account.so")}
        backends = bench.prepare(world, arguments)
        table = bench.Bench(world, argparse.Namespace(
            build=arguments.build, quick=True, floor_only=False, threads=None, idle=0), backends)
        account = Account(world, arguments.build / "client", *(["--line"] if arguments.line else []))
        for transport in (bench.WEBSOCKET, bench.SSE):
            if transport.title not in arguments.transports:
                continue
            table.use(transport)
            for load in arguments.loads.split(","):
                floors = transport.floors if load == "100/s" else transport.coalescing
                if arguments.line:
                    floors = transport.relays
                for service in ("org.chappie", next(iter(floors))):
                    table.warm_up(service)
                    options = LOADS[load]
                    account.run(service, **options)
                    spent = account.run(service, **options)
                    if not arguments.preload:
                        spent |= account.traced(service, **options)
                    print(transport.title, load, service.removeprefix("org.chappie") or "chappied", end=": ")
                    print(", ".join(f"{name} {value:.3f}" for name, value in spent.items()), flush=True)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    main()
