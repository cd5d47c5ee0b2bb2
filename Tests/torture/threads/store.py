"""org.chappie.Threads in Python."""

import ast
import json
import re

from session import Failure


class Store:
    """org.chappie.Threads of the default object."""

    def __init__(self, session):
        self.session = session

    def call(self, member, *texts):
        return self.session.call(f"Threads.{member}", *(f"'{text}'" for text in texts))

    def text(self, member, *texts):
        """The reply's only value, a text."""
        return ast.literal_eval(self.call(member, *texts))[0]

    def create(self, title):
        reply = self.session.call("Threads.Create", f"{{'title': <'{title}'>}}" if title else "{}")
        return ast.literal_eval(reply)[0]

    def send(self, thread, text):
        """The whole answer. Its signals are broadcast."""
        return self.turn("Send", thread, text, broadcasts=True)

    def stream(self, thread, text, broadcasts=True):
        """The name of the turn."""
        return self.turn("Stream", thread, text, broadcasts)

    def turn(self, member, thread, text, broadcasts):
        options = "{'broadcast': <true>}" if broadcasts else "{}"
        reply = self.session.call(f"Threads.{member}", f"'{thread}'", f"'{text}'", options)
        return ast.literal_eval(reply)[0]

    def undo(self, thread):
        self.session.call("Threads.UndoTurn", f"'{thread}'", "{}")

    def get(self, thread):
        return json.loads(self.text("Get", thread))

    def listed(self):
        """All listed threads, by id."""
        listed = {}
        for archived in ("false", "true"):
            reply = self.session.call("Threads.List", f"{{'archived': <{archived}>}}")
            for text in re.findall(r"\{'.*?>\}", reply):
                thread = read_dictionary(text)
                if thread["id"] in listed:
                    raise Failure("a thread is listed twice")
                listed[thread["id"]] = thread
        return listed

    def usage(self):
        return read_dictionary(self.session.call("Threads.GetUsage"))


def read_dictionary(text):
    """A dictionary of simple values from gdbus's output."""
    values = re.findall(r"'(\w+)': <(?:(?:u?int)\d+ )?('[^']*'|\w+)>", text)
    return {key: value[1:-1] if value.startswith("'") else value == "true" if value in ("true", "false") else int(value)
            for key, value in values}
