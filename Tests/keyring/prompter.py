#!/usr/bin/env python3
"""A mock of GNOME Keyring's prompter: the user enters a password, or dismisses each prompt.

    prompter.py PASSWORD
    prompter.py --dismiss
    prompter.py --vanish TIMES PASSWORD     the first prompts are not shown, because the prompter goes away

It takes the name org.gnome.keyring.SystemPrompter and prints a line for each prompt. The password crosses the bus
encrypted, as the real prompter sends it, by the keyring's own library: its releases derive different keys from a shared
secret that begins with a zero byte, as one of 256 does, and a keyring takes a password that it cannot read for a
refusal.
"""

import os
import sys

import gi

gi.require_version("Gcr", "3")
from gi.repository import Gcr, Gio, GLib  # noqa: E402

NAME = "org.gnome.keyring.SystemPrompter"
PATH = "/org/gnome/keyring/Prompter"
CALLBACK = "org.gnome.keyring.internal.Prompter.Callback"
XML = """
<node><interface name="org.gnome.keyring.internal.Prompter">
  <method name="BeginPrompting"><arg type="o" direction="in"/></method>
  <method name="PerformPrompt">
    <arg type="o" direction="in"/><arg type="s" direction="in"/>
    <arg type="a{sv}" direction="in"/><arg type="s" direction="in"/>
  </method>
  <method name="StopPrompting"><arg type="o" direction="in"/></method>
</interface></node>
"""

# The minimum time in which a user dismisses a prompt, in milliseconds.
READING = 500


class Prompter:
    def __init__(self, password, vanishes=False):
        self.password = password
        self.vanishes = vanishes
        self.exchanges = {}
        self.bus = Gio.DBusConnection.new_for_address_sync(
            os.environ["DBUS_SESSION_BUS_ADDRESS"],
            Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
        self.bus.register_object(PATH, Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0], self.called)
        # The name is queued: the bus passes it to the next prompter when this one exits.
        self.bus.call_sync(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
            GLib.Variant("(su)", (NAME, 0)), None, Gio.DBusCallFlags.NONE, -1, None)

    def called(self, bus, sender, path, interface, method, arguments, invocation):
        invocation.return_value(None)
        callback = arguments[0]
        if method == "BeginPrompting" and self.vanishes:
            print("prompt that nobody sees", flush=True)
            self.bus.close()
        elif method == "BeginPrompting":
            self.exchanges[callback] = Gcr.SecretExchange.new(None)
            self.ready(sender, callback, "", self.exchanges[callback].begin())
        elif method == "PerformPrompt":
            _, kind, properties, received = arguments
            print(f"prompt {kind}: {properties.get('message', '')}", flush=True)
            exchange = self.exchanges[callback]
            exchange.receive(received)
            if self.password is None:
                GLib.timeout_add(READING, self.ready, sender, callback, "no", exchange.send(None, -1))
            else:
                self.ready(sender, callback, "yes", exchange.send(self.password, -1))
        else:
            self.tell(sender, callback, "PromptDone", None)

    def ready(self, sender, callback, reply, exchange):
        # Without a strength the keyring warns of an empty password.
        properties = {"password-strength": GLib.Variant("v", GLib.Variant("i", 1))} if reply == "yes" else {}
        self.tell(sender, callback, "PromptReady", GLib.Variant("(sa{sv}s)", (reply, properties, exchange)))

    def tell(self, sender, callback, member, arguments):
        self.bus.call(sender, callback, CALLBACK, member, arguments, None, Gio.DBusCallFlags.NONE, -1, None, None)


match sys.argv[1:]:
    case ["--dismiss"]:
        prompters = [Prompter(None)]
    case ["--vanish", times, password]:
        prompters = [Prompter(password, vanishes=True) for _ in range(int(times))] + [Prompter(password)]
    case [password]:
        prompters = [Prompter(password)]
GLib.MainLoop().run()
