# SPDX-License-Identifier: Apache-2.0
"""The accessibility tree of a program, read over D-Bus as screen readers do.

libatspi asks for each property and each child of a node alone, which takes seconds for a conversation of GTK. Here all
names, states and roles come at once, and the children of each node together; only texts are read of each node.
"""

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, Gio, GLib  # noqa: E402

from support import call as call_session  # noqa: E402

Role, State = Atspi.Role, Atspi.StateType
INTERFACE = "org.a11y.atspi."
ROOT = "/org/a11y/atspi/accessible/root"


class Bus:
    """The bus of the accessibility tree, which is another one on each display."""

    def __init__(self):
        address = call_session("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus.GetAddress")
        kind = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        self.connection = Gio.DBusConnection.new_for_address_sync(address, kind, None, None)

    def call(self, node, method, signature="()", *values):
        """Calls Interface.Method of a node, which is a name on the bus with a path."""
        interface, _, member = method.rpartition(".")
        reply = self.connection.call_sync(*node, INTERFACE + interface, member, GLib.Variant(signature, values), None,
                                          Gio.DBusCallFlags.NONE, 60_000, None).unpack()
        return reply[0] if reply else None

    def property(self, node, name, timeout=60_000):
        return self.connection.call_sync(
            *node, "org.freedesktop.DBus.Properties", "Get", GLib.Variant("(ss)", (INTERFACE + "Accessible", name)), None,
            Gio.DBusCallFlags.NONE, timeout, None).unpack()[0]

    def program(self, names):
        """The root node of the program with one of these names that has a window, or None."""
        try:
            roots = self.call(("org.a11y.atspi.Registry", ROOT), "Accessible.GetChildren")
        except GLib.Error:
            return None  # The registry starts.
        for root in map(tuple, roots):
            try:
                if self.property(root, "Name", 2000) in names and self.property(root, "ChildCount", 2000):
                    return root
            except GLib.Error:
                pass  # A program has ended meanwhile, or does not answer.
        return None

    def cached(self, root):
        """What the cache of a program of GTK has: the nodes whose parents were asked for their children."""
        rows = self.call((root[0], "/org/a11y/atspi/cache"), "Cache.GetItems")
        return {address: (name, role, states, interfaces, count)
                for address, _, _, _, count, interfaces, name, role, _, states in rows}

    def read(self, root):
        """The visible tree of a program of GTK; None if it is not there yet, or any more."""
        known = self.cached(root)
        if root not in known:
            return None
        top = Node(self, root, None, *known[root])
        level = [top]
        while level:
            found = [(parent, tuple(child)) for parent in level if parent.count or parent == top
                     for child in parent.call("Accessible.GetChildren")]
            if any(child not in known for _, child in found):
                known = self.cached(root)
            level = [Node(self, child, parent, *known[child]) for parent, child in found if child in known]
            level = [node for node in level if node.has(State.VISIBLE)]
            for node in level:
                node.parent.children.append(node)
        return top

    def walk(self, root, parent=None):
        """The visible tree of a program of Qt, whose cache is empty."""
        node = Node(self, root, parent, self.property(root, "Name"), self.call(root, "Accessible.GetRole"),
                    self.call(root, "Accessible.GetState"), self.call(root, "Accessible.GetInterfaces"))
        if parent and not node.has(State.VISIBLE):
            return None
        for child in node.call("Accessible.GetChildren"):
            try:
                if found := self.walk(tuple(child), node):
                    node.children.append(found)
            except GLib.Error:
                pass  # It was removed meanwhile.
        return node


class Node:
    """A node of the tree, as one reading found it. A call raises GLib.Error if the node is not there any more."""

    def __init__(self, bus, address, parent, name, role, states, interfaces, count=None):
        self.bus, self.address, self.parent, self.name, self.role = bus, address, parent, name, role
        self.states, self.interfaces, self.count, self.children = states, interfaces, count, []

    def __eq__(self, other):
        return isinstance(other, Node) and self.address == other.address

    def __str__(self):
        return f"{Atspi.role_get_name(Role(self.role))}: {self.words!r:.200}"

    def call(self, method, signature="()", *values):
        return self.bus.call(self.address, method, signature, *values)

    def has(self, state):
        return bool(self.states[state // 32] >> state % 32 & 1)

    def all(self):
        """This node and those below it, the last first: it is a dialog above the others, or the latest message."""
        yield self
        for child in reversed(self.children):
            yield from child.all()

    @property
    def words(self):
        """The name, and below it the text."""
        try:
            text = self.call("Text.GetText", "(ii)", 0, -1) if f"{INTERFACE}Text" in self.interfaces else ""
        except GLib.Error:
            text = ""
        return f"{self.name}\n{text}"

    @property
    def deep_words(self):
        return "\n".join(node.words for node in self.all())

    @property
    def description(self):
        return self.bus.property(self.address, "Description")

    def act(self):
        return self.call("Action.DoAction", "(i)", 0)

    def focus(self):
        return self.call("Component.GrabFocus")

    def write(self, text):
        return self.call("EditableText.SetTextContents", "(s)", text)
