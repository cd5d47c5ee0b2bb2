#!/usr/bin/python3
"""Asks the model, and prints the answer as it arrives."""
import sys
from gi.repository import Gio, GLib

loop = GLib.MainLoop()
client = Gio.DBusProxy.new_for_bus_sync(
    Gio.BusType.SESSION, Gio.DBusProxyFlags.NONE, None, "org.chappie", "/org/chappie", "org.chappie.Client")


def on_signal(_, sender, name, values):
    if values[0] != turn:  # A broadcast turn of another program.
        return
    if name == "TextDelta":
        print(values[2], end="", flush=True)
    elif name == "Completed":
        loop.quit()
    elif name == "Failed":
        sys.exit(values[2])


client.connect("g-signal", on_signal)
turn = client.Stream("(sa{sv})", " ".join(sys.argv[1:]), {})
loop.run()
