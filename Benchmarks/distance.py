#!/usr/bin/python3
"""The time to the first word over a network with a round trip of 50 ms, with TLS.

    scripts/private-session Benchmarks/distance.py DIRECTORY [--round-trip MS] [--count N]

DIRECTORY has chappied, chappie and chappie-sandbox. A forwarder in front of the stand-in delays the bytes of both
directions by half of a round trip, and each new connection by a whole one; so it needs no root and no netem in the
kernel. The stand-in answers as fast as it can; its own time is measured with the same questions without the delay.
"""

import argparse
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

import gi

from forwarder import make_certificate

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402


def run(*words):
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Service:
    """The service, signed in, with a distant server."""

    def __init__(self, programs, folder):
        self.programs, self.folder = programs, folder
        self.processes = []

    def __enter__(self):
        certificate, key = make_certificate(self.folder)
        outer = free_port()
        issuer = f"https://127.0.0.1:{outer}"
        standin = self.spawn(self.programs / "chappie-sandbox", "--auto-approve", "--interval", "1", "--rate", "0",
                             "--public-url", issuer)
        lines = dict(standin.stdout.readline().split(" ", 1) for _ in range(4))
        port = re.search(r":(\d+)", lines["local"].split("//")[1])[1]
        self.forwarder = self.spawn(sys.executable, Path(__file__).with_name("forwarder.py"), certificate, key, port,
                                    outer, stdin=subprocess.PIPE)
        self.forwarder.stdout.readline()
        self.arguments = ["--issuer", issuer, "--backend", f"{issuer}/backend-api"]
        self.environment = os.environ | {"SSL_CERT_FILE": str(certificate)}
        self.bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        self.start()
        run(self.programs / "chappie", "sign-in")
        return self

    def spawn(self, *words, **options):
        process = subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, text=True,
                                   stderr=subprocess.DEVNULL, **{"stdin": subprocess.DEVNULL} | options)
        self.processes.append(process)
        return process

    def delay(self, milliseconds):
        self.forwarder.stdin.write(f"{milliseconds}\n")
        self.forwarder.stdin.flush()
        time.sleep(0.2)

    def start(self):
        self.service = self.spawn(self.programs / "chappied", *self.arguments, env=self.environment)
        run("gdbus", "wait", "--session", "--timeout", "20", "org.chappie")

    def restart(self):
        self.service.terminate()
        self.service.wait()
        self.start()

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.terminate()
            process.wait()

    # The caller's end.

    def open(self):
        reply, descriptors = self.bus.call_with_unix_fd_list_sync(
            "org.chappie", "/org/chappie", "org.chappie.Client", "OpenTurn", GLib.Variant("(a{sv})", ({},)),
            GLib.VariantType("(sh)"), Gio.DBusCallFlags.NONE, 10_000, None, None)
        return socket.socket(fileno=descriptors.steal_fds()[reply.unpack()[1]])

    def ask(self, stream):
        """The milliseconds from the question to the first word."""
        start = time.monotonic()
        stream.sendall(json.dumps({"text": "hello"}).encode() + b"\n")
        first = None
        for line in stream.makefile():
            event = json.loads(line)
            if event["event"] == "text-delta" and first is None:
                first = time.monotonic() - start
            if event["event"] == "failed":
                sys.exit(f"a turn failed: {event['message']}")
        return first * 1000

    def warm(self):
        return self.ask(self.open())

    def cold(self, seconds):
        """The first turn of a process, `seconds` after it was opened."""
        self.restart()
        stream = self.open()
        time.sleep(seconds)
        return self.ask(stream)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", type=Path)
    parser.add_argument("--round-trip", type=float, default=50, metavar="MS")
    parser.add_argument("--count", type=int, default=15)
    arguments = parser.parse_args()
    with Service(arguments.programs.resolve(), Path(os.environ["CHAPPIE_WORLD"])) as service:
        def median(measure):
            return statistics.median(measure() for _ in range(arguments.count))

        service.warm()
        own = median(service.warm)
        service.delay(arguments.round_trip)
        service.warm()
        warm, prepared, at_once = median(service.warm), median(lambda: service.cold(1)), median(lambda: service.cold(0))
    limit = own + arguments.round_trip + 10
    print(f"{arguments.round_trip:.0f} ms of round trip, medians of {arguments.count}, in ms:")
    print(f"  warm service, without the delay            {own:6.1f}")
    print(f"  warm service                               {warm:6.1f}   limit {limit:.1f}")
    print(f"  first turn, opened a second before         {prepared:6.1f}   limit {limit:.1f}")
    print(f"  first turn, asked at once                  {at_once:6.1f}   {at_once / arguments.round_trip:.1f} round trips")
    return 0 if max(warm, prepared) <= limit else 1


sys.exit(main())
