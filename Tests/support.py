# SPDX-License-Identifier: Apache-2.0
"""Helpers that the tests of the desktop share."""

import argparse
import atexit
import json
import os
import subprocess
import time
import urllib.parse
import urllib.request
from pathlib import Path

from gi.repository import Gio, GLib

TOP = Path(__file__).resolve().parent.parent
# In seconds. Generous, because only a failing test waits so long.
TIMEOUT = 120
BUS = Gio.bus_get_sync(Gio.BusType.SESSION)


class Failure(Exception):
    """A check has failed."""


def wait_for(what, condition, timeout=TIMEOUT):
    """The first true value of the condition."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.05)
    raise Failure(f"{what}: not within {timeout} s")


def equal(what, found, expected):
    if found != expected:
        raise Failure(f"{what}:\n  found    {found!r:.2000}\n  expected {expected!r:.2000}")


# --- D-Bus


def call(name, path, method, signature="()", *values, timeout=TIMEOUT):
    """Calls org.example.Interface.Method. Returns the reply's only value, or a tuple of its values."""
    interface, _, member = method.rpartition(".")
    reply = BUS.call_sync(name, path, interface, member, GLib.Variant(signature, values), None,
                          Gio.DBusCallFlags.NONE, timeout * 1000, None).unpack()
    return reply[0] if len(reply) == 1 else reply


def call_bus(method, signature="()", *values):
    return call("org.freedesktop.DBus", "/org/freedesktop/DBus", f"org.freedesktop.DBus.{method}", signature, *values)


def call_service(method, signature="()", *values):
    """Calls a method of the default object, as Interface.Method."""
    return call("org.chappie", "/org/chappie", f"org.chappie.{method}", signature, *values)


def property_of(interface, name):
    """A property of the default object."""
    return call("org.chappie", "/org/chappie", "org.freedesktop.DBus.Properties.Get", "(ss)",
                f"org.chappie.{interface}", name)


def has_owner(name):
    return call_bus("NameHasOwner", "(s)", name)


def user_code():
    """The code of the running sign-in, or None."""
    return property_of("Session", "DeviceCode").get("user_code")


# --- Programs


def add_browser(script):
    """Gives this session a browser: a shell script, which gets the address as its argument."""
    applications, program = Path(os.environ["XDG_DATA_HOME"], "applications"), Path(os.environ["CHAPPIE_WORLD"], "browser")
    applications.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    schemes = ["x-scheme-handler/http", "x-scheme-handler/https"]
    (applications / "browser.desktop").write_text(
        f"[Desktop Entry]\nType=Application\nName=Browser\nExec={program} %u\nMimeType={';'.join(schemes)};\n")
    (applications / "mimeapps.list").write_text(
        "[Default Applications]\n" + "".join(f"{scheme}=browser.desktop\n" for scheme in schemes))


class World:
    """The stand-in server, the service and the screen locker."""

    def __init__(self, *options):
        self.sandbox = subprocess.Popen(["chappie-sandbox", "--port", "0", *options], stdout=subprocess.PIPE, text=True)
        atexit.register(self.sandbox.kill)  # Also when what comes before the first step fails.
        self.issuer = self.sandbox.stdout.readline().split()[1]
        self.service = self.locker = None

    def control(self, what, data=b"", method="POST"):
        request = urllib.request.Request(f"{self.issuer}/sandbox/{what}", data=data, method=method)
        return urllib.request.urlopen(request, timeout=10).read()

    def scenario(self, *rules):
        self.control("scenario", json.dumps(rules).encode())

    def answer(self, text, **rule):
        self.scenario({"endpoint": "responses", "text": text, **rule})

    def hold(self, text, deltas=3, **rule):
        """Gives an answer that begins with text, and waits after some deltas until release()."""
        self.answer(text + " and so on.", hold_after=deltas, **rule)

    def release(self):
        self.control("release")

    def be_offline(self):
        self.scenario(*({"endpoint": endpoint, "drop_after": 0, "times": "always"}
                        for endpoint in ("responses", "handshake")))

    def be_online(self):
        self.control("scenario", method="DELETE")

    def request_approval(self, turn="approval", **arguments):
        """Another program starts a broadcast turn that calls the tool “remove” with these arguments."""
        self.scenario({"endpoint": "responses", "tool_calls": [{"name": "remove", "arguments": arguments}]})
        schema = {"type": "object", "properties": {name: {"type": "string"} for name in arguments}}
        subprocess.run(["busctl", "--user", "call", "org.chappie", "/org/chappie", "org.chappie.Client", "Stream", "sa{sv}",
                        "Remove it.", "3", "turn", "s", turn, "broadcast", "b", "true", "tools", "aa{sv}", "1", "3",
                        "name", "s", "remove", "policy", "s", "ask", "input_schema", "s", json.dumps(schema)],
                       check=True, stdout=subprocess.DEVNULL)

    def start_service(self, **options):
        options = {"stderr": subprocess.DEVNULL, **options}
        self.service = subprocess.Popen(
            ["chappied", "--issuer", self.issuer, "--backend", f"{self.issuer}/backend-api"], **options)
        wait_for("the service", lambda: has_owner("org.chappie"))

    def kill_service(self):
        self.service.kill()
        self.service.wait()
        self.service = None
        wait_for("the end of the service", lambda: not has_owner("org.chappie"))

    def decide_in_browser(self, **decision):
        """Plays the user and the browser on the page of the running sign-in."""
        wait_for("the page", lambda: property_of("Session", "BrowserPage"))
        options = {"open": GLib.Variant("b", False), "notify": GLib.Variant("b", False)}
        address, _ = call_service("Session.StartBrowserSignIn", "(a{sv})", options)
        answer = self.control("authorize", urllib.parse.urlencode({"address": address, **decision}).encode())
        return urllib.request.urlopen(json.loads(answer)["location"], timeout=20).read().decode()

    def start_locker(self):
        self.locker = subprocess.Popen(["/usr/bin/python3", "-m", "dbusmock", "--template", "gnome_screensaver"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for("the screen locker", lambda: has_owner("org.gnome.ScreenSaver"))

    def lock(self, locked):
        call("org.gnome.ScreenSaver", "/org/gnome/ScreenSaver", "org.gnome.ScreenSaver.SetActive", "(b)", locked)

    def close(self):
        for process in (self.locker, self.service, self.sandbox):
            if process:
                process.kill()
                process.wait()


# --- Command line and steps


def parse_arguments(*flags):
    """The arguments: the directory with the programs, which is put into PATH, and --pictures DIRECTORY."""
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=Path)
    parser.add_argument("--pictures", type=Path)
    for flag in flags:
        parser.add_argument(flag, action="store_true")
    arguments = parser.parse_args()
    os.environ["PATH"] = f"{arguments.programs.resolve()}:{os.environ['PATH']}"
    if arguments.pictures:
        arguments.pictures = arguments.pictures.resolve()
        arguments.pictures.mkdir(parents=True, exist_ok=True)
    return arguments


def run_steps(run, steps):
    """
    Runs the steps in order, each in the state in which the previous one ended, and closes the run. Returns the exit
    status.
    """
    try:
        for step in steps:
            name = step.__name__.replace("_", " ")
            begun = time.monotonic()
            try:
                step()
            except (Failure, GLib.Error) as error:
                print(f"FAIL  {name}: {error}")
                getattr(run, "report_failure", lambda: None)()
                return 1
            print(f"ok    {name} ({time.monotonic() - begun:.1f} s)", flush=True)
        return 0
    finally:
        run.close()
