#!/usr/bin/python3
"""Asks the model from a sandbox. The sign-in is this app's own, and the app needs no access to the network."""
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
    while state(session) != "signed-in":
        loop.run()
        if session.get_cached_property("DeviceLinkState").unpack() in ("declined", "expired", "cancelled", "failed"):
            sys.exit(session.get_cached_property("LastError").unpack().get("message", "The sign-in has ended."))
    session.disconnect(changes)


def state(session):
    return session.get_cached_property("State").unpack()


def on_signal(_, sender, name, values):
    if name == "TextDelta":
        print(values[2], end="", flush=True)
    elif name == "Completed":
        print()
        loop.quit()
    elif name == "Failed":
        sys.exit(values[2])


# What /org/chappie itself has belongs to the desktop's user. An app opens objects of its own.
manager = proxy("/org/chappie", "Manager")
session = proxy(manager.OpenSession("(a{sv})", {}), "Session")
if state(session) != "signed-in":
    sign_in(session)
client = proxy(manager.OpenClient("(a{sv})", {}), "Client")
client.connect("g-signal", on_signal)
client.Stream("(sa{sv})", " ".join(sys.argv[1:]), {})
loop.run()
