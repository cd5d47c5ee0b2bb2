#!/usr/bin/python3
"""Asks the model, and prints the answer as it arrives."""
import sys
from gi.repository import Gio, GLib

loop = GLib.MainLoop()
client = Gio.DBusProxy.new_for_bus_sync(
    Gio.BusType.SESSION, Gio.DBusProxyFlags.NONE, None, "org.chappie", "/org/chappie", "org.chappie.Client")

def on_signal(_, sender, name, values):
    if name == "TextDelta": print(values[2], end="", flush=True)
    if name == "Failed": print(values[2], file=sys.stderr)
    if name in ("Completed", "Failed"): loop.quit()

client.connect("g-signal", on_signal)
client.Stream("(sa{sv})", " ".join(sys.argv[1:]), {})
loop.run()
