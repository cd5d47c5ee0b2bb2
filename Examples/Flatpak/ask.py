#!/usr/bin/python3
"""Asks the model from a sandbox. The sign-in is this app's own, and the app needs no access to the network."""
import json
import socket
import sys
from gi.repository import Gio, GLib

loop = GLib.MainLoop()


def proxy(path, interface):
    return Gio.DBusProxy.new_for_bus_sync(
        Gio.BusType.SESSION, Gio.DBusProxyFlags.NONE, None, "org.chappie", path, f"org.chappie.{interface}")


def sign_in(session):
    code, page, _ = session.StartDeviceCodeSignIn("(a{sv})", {"notify": GLib.Variant("b", False)})
    print(f"Enter {code} at {page}", flush=True)
    changes = session.connect("g-properties-changed", lambda *_: loop.quit())
    while value(session, "State") != "signed-in":
        loop.run()
        if value(session, "DeviceLinkState") in ("declined", "expired", "cancelled", "failed"):
            sys.exit(value(session, "LastError").get("message", "The sign-in has ended."))
    session.disconnect(changes)


def value(session, name):
    cached = session.get_cached_property(name)
    if cached is None:
        sys.exit("The service has ended.")
    return cached.unpack()


def ask(client, question):
    (_, index), sockets = client.call_with_unix_fd_list_sync("OpenTurn", GLib.Variant("(a{sv})", ({},)), 0, -1)
    line = socket.socket(fileno=sockets.get(index))
    line.sendall(json.dumps({"text": question}).encode() + b"\n")
    for event in map(json.loads, line.makefile(encoding="utf-8")):
        if event["event"] == "text-delta":
            print(event["text"], end="", flush=True)
        elif event["event"] == "completed":
            sys.exit(print())
        elif event["event"] == "failed":
            sys.exit(event["message"])
    sys.exit("\nThe service ended before it answered.")


# What /org/chappie itself has belongs to the desktop's user. An app opens objects of its own.
try:
    manager = proxy("/org/chappie", "Manager")
    session = proxy(manager.OpenSession("(a{sv})", {}), "Session")
    if value(session, "State") != "signed-in":
        sign_in(session)
    ask(proxy(manager.OpenClient("(a{sv})", {}), "Client"), " ".join(sys.argv[1:]))
except (GLib.Error, OSError, ValueError) as error:
    sys.exit(getattr(error, "message", error))
