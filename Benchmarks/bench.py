#!/usr/bin/env python3
"""Compares the service with the floor; `make bench` runs it. See README.md."""

import argparse
import ctypes
import os
import signal
import statistics
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

from forwarder import make_certificate
from line import LineRows
from row import HEADING, Row
from threads import ThreadStore
from world import BenchError, World, wait_until

SERVICE = "org.chappie"


# The authorities that GnuTLS trusts on Debian.
AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"


class Transport:
    """The transport of the backend's answers, to the service and to the floors."""

    def __init__(self, title, setting, *options, scheme="http"):
        self.title = title
        self.setting = setting
        self.scheme = scheme
        self.floors = self.programs("Floor", *options)
        self.coalescing = self.programs("Coalescing", "--coalesce", *options)
        self.relays = self.programs("Relay", *options)

    def programs(self, name, *options):
        return {f"org.chappie.{self.title}.{name}{again}": list(options) for again in ("", "Again")}


SSE = Transport("sse", "http-sse-only")
WEBSOCKET = Transport("websocket", "default", "--websocket")
TLS = Transport("tls", "default", "--websocket", scheme="https")


class Bench:
    def __init__(self, world, arguments, backends):
        self.world = world
        self.backends = backends
        self.backend = None
        self.client = arguments.build / "client"
        self.quick = arguments.quick
        self.idle_seconds = arguments.idle
        self.measured = [] if arguments.floor_only else [SERVICE]
        self.store = arguments.threads and ThreadStore(arguments.threads, world.root / "threads", self.quick)

    def times(self, repetitions):
        return 3 if self.quick else repetitions

    def repeat(self, repetitions, services, measure):
        """Repeats the measurements in turn, so that other load on the machine affects all of them alike."""
        results = {service: [] for service in services}
        for _ in range(self.times(repetitions)):
            for service in services:
                results[service].append(measure(service))
        return results

    def row(self, title, results, key, hold, **options):
        medians = [statistics.median(result[key] for result in result_list)
                   for result_list in results.values()]
        service, floor, control = medians if self.measured else [None, *medians]
        repetitions = len(next(iter(results.values())))
        return Row(title, service, floor, control, hold, repetitions, **options)

    def warm_up(self, service):
        """Starts the service if it does not run, and makes its first connections."""
        return self.world.run_client(self.client, service, rate=0, count=100, rounds=2)

    def use(self, transport):
        """Makes a service that starts from now on use this transport. A sign-in is for one backend."""
        if not self.measured:
            return
        self.world.stop(SERVICE)
        backend = self.backends[transport.scheme]
        self.world.configure(f"[Client]\nTransport={transport.setting}\n[Backend]\nBaseURL={backend}\n")
        if backend != self.backend:
            sign_in(self.world)
            self.backend = backend

    def turns(self, repetitions, transport, floors, **options):
        self.use(transport)
        services = [*self.measured, *floors]
        for service in services:
            self.warm_up(service)
        pids = {service: self.world.pid(service) for service in services}

        def measure(service):
            result = self.world.run_client(self.client, service, pid=pids[service], **options)
            return result | {"cpu": result["cpu_seconds"] / result["deltas"] * 10000}

        return self.repeat(repetitions, services, measure)

    # The rows

    def latency(self, transport, rate, seconds):
        count = int(rate * (seconds / 2 if self.quick else seconds))
        floors = transport.floors if rate < 1000 else transport.coalescing
        results = self.turns(15, transport, floors, rate=rate, count=count)
        name = f"{transport.title}, {rate}/s"
        yield self.row(f"latency, {name}, median, us", results, "median_us", 1.3)
        yield self.row(f"latency, {name}, 99th percentile, us", results, "p99_us", 2)
        yield self.row(f"cpu s per 10,000 deltas, {name}", results, "cpu", 1.5)

    def flat_out(self, transport, turns, count):
        count = count // 10 if self.quick else count
        results = self.turns(7, transport, transport.coalescing, rate=0, turns=turns, count=count)
        name = f"{transport.title}, flat out, {turns} turn{'s' if turns > 1 else ''}"
        yield self.row(f"deltas per s, {name}", results, "deltas_per_second", 0.8, at_least=True)
        yield self.row(f"cpu s per 10,000 deltas, {name}", results, "cpu", 1.5)

    def start(self, transport):
        self.use(transport)

        def measure(service):
            self.world.stop(service)
            return self.world.run_client(self.client, service, "--activate")

        results = self.repeat(15, [*self.measured, *transport.floors], measure)
        yield self.row(f"start to first reply, {transport.title}, ms", results, "start_ms", 2)

    def memory(self, transport):
        turns = 20 if self.quick else 120
        self.use(transport)
        services = [*self.measured, *transport.coalescing]
        results = {service: [] for service in services}
        for _ in range(self.times(7)):
            for service in services:
                self.world.stop(service)
                self.warm_up(service)
            idle = self.resident(services)
            for service in services:
                self.world.run_client(self.client, service, "--continue", rate=0, count=200,
                                      rounds=turns)
            after = self.resident(services)
            for service in services:
                results[service].append({"idle": idle[service], "after": after[service],
                                         "growth": after[service] / idle[service]})
        yield self.row(f"resident MiB, idle, {transport.title}", results, "idle", 2)
        yield self.row(f"resident MiB, after {turns} turns, {transport.title}", results, "after", 2)
        yield self.row(f"growth over these turns, {transport.title}", results, "growth", 1.1, absolute=True)

    def threads(self):
        yield from self.store.rows(self.times(7))

    def resident(self, services):
        time.sleep(1 if self.quick else 3)
        return {service: self.world.resident_mib(service) for service in services}

    def groups(self):
        groups = {}
        for transport in (SSE, WEBSOCKET):
            for rate, seconds in ((100, 2), (200, 2), (1000, 1.5)):
                groups[f"{transport.title}-latency-{rate}"] = partial(self.latency, transport, rate, seconds)
            for turns, count in ((1, 100000), (32, 4000)):
                groups[f"{transport.title}-flat-{turns}"] = partial(self.flat_out, transport, turns, count)
        for transport in (WEBSOCKET, TLS) if "https" in self.backends else (WEBSOCKET,):
            prefix = "tls-" if transport is TLS else ""
            groups |= {f"{prefix}start": partial(self.start, transport), f"{prefix}memory": partial(self.memory, transport),
                       f"{prefix}line-first": LineRows(self, transport).first}
        groups |= LineRows(self, WEBSOCKET).groups(self.idle_seconds)
        return groups | {"threads": self.threads} if self.store else groups


def prepare(world, arguments):
    """Starts the servers, and makes the services activatable. Returns the backend's address for each scheme."""
    backend = world.spawn_server("backend", arguments.build / "backend")
    backends = {"http": backend}
    certificate, key = make_certificate(world.root)
    if trust(certificate, world.root):
        port = backend.rpartition(":")[2]
        backends["https"] = world.spawn_server("forwarder", sys.executable, "forwarder.py", certificate, key, port)
    else:
        print("No rows with TLS: to trust the certificate in a mount namespace needs root.")
    backends = {scheme: address + "/backend-api" for scheme, address in backends.items()}
    for transport in (SSE, WEBSOCKET, TLS):
        for name, options in (transport.floors | transport.coalescing | transport.relays).items():
            if address := backends.get(transport.scheme):
                world.add_service(name, arguments.build / "floor", "--name", name, "--backend", address, *options)
    if not arguments.floor_only:
        issuer = world.spawn_server("sandbox", arguments.sandbox, "--port", "0", "--auto-approve")
        world.add_service(SERVICE, arguments.chappied, "--issuer", issuer)
    world.start_session()
    return backends


def trust(certificate, folder):
    """Adds a certificate to the system's, for this process and those that it starts. Returns whether it may do so."""
    new_mount_namespace = 0x20000
    if ctypes.CDLL(None).unshare(new_mount_namespace) != 0:
        return False
    authorities = folder / "authorities.pem"
    authorities.write_bytes(Path(AUTHORITIES).read_bytes() + certificate.read_bytes())
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    subprocess.run(["mount", "--bind", authorities, AUTHORITIES], check=True)
    return True


def sign_in(world):
    """Signs in by device code, which the sandbox approves by itself."""
    path = "/org/chappie"
    session = f"{SERVICE}.Session"
    world.call(SERVICE, path, f"{session}.StartDeviceCodeSignIn", "@a{sv} {}")
    wait_until(lambda: "'signed-in'" in world.call(
        SERVICE, path, "org.freedesktop.DBus.Properties.Get", session, "State"),
        "the sign-in", seconds=60)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chappied", type=Path, help="the service")
    parser.add_argument("--sandbox", type=Path, help="the stand-in issuer, chappie-sandbox")
    parser.add_argument("--threads", type=Path, help="the benchmark of the store of threads, thread-bench")
    parser.add_argument("--build", type=Path, required=True, help="the directory of backend, floor and client")
    parser.add_argument("--quick", action="store_true", help="3 short repetitions: a smoke test")
    parser.add_argument("--floor-only", action="store_true", help="without chappied: this machine's noise")
    parser.add_argument("--idle", type=int, default=600, help="the seconds for which the service idles, 600")
    parser.add_argument("--rows", default="",
                        help="only these, with commas: sse, websocket, line, start, memory, idle, threads, "
                        "or the beginning of a row's name of one transport, such as sse-flat or websocket-latency-100")
    arguments = parser.parse_args()
    if not arguments.floor_only and not (arguments.chappied and arguments.sandbox):
        parser.error("--chappied and --sandbox are needed, or --floor-only")
    for name in ("build", "chappied", "sandbox", "threads"):
        if getattr(arguments, name):
            setattr(arguments, name, getattr(arguments, name).resolve())
    return arguments


def run(arguments):
    """Runs all chosen rows and prints each when it is done; returns whether one missed its figure."""
    wanted = arguments.rows.split(",")
    missed = False
    with World() as world:
        backends = prepare(world, arguments)
        print(f"Medians over repetitions (reps), interleaved; {os.cpu_count()} processors, "
              f"load {os.getloadavg()[0]:.2f}. control = the floor's second instance / the floor.")
        print(HEADING, flush=True)
        for name, rows in Bench(world, arguments, backends).groups().items():
            if arguments.rows and not any(f"{name}-".startswith(f"{row}-") for row in wanted):
                continue
            for row in rows():
                missed |= row.missed
                print(row, flush=True)
    return missed


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(1 if run(parse_arguments()) else 0)
    except (BenchError, subprocess.SubprocessError) as error:
        print(f"bench: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
