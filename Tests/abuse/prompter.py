"""The prompter for the keyring's password, with a user who declines after a moment."""

import threading
import time

from bus.connection import BUS, Connection, Unanswered

NAME = "org.gnome.keyring.SystemPrompter"
CALLBACK = "org.gnome.keyring.internal.Prompter.Callback"
# The user's time to read and decide, in seconds.
THOUGHT = 0.5


class Prompter:
    """Counts the prompts that the keyring is asked for, however long it queues them."""

    def __init__(self, address):
        self.count = 0
        self.is_over = False
        self.waiting = []
        self.connection = Connection(address)
        self.connection.on_call = self.take
        self.connection.call("/org/freedesktop/DBus", BUS, "RequestName", "su", [NAME, 0], to=BUS)
        self.monitor = Connection(address)
        rule = "type='method_call',interface='org.freedesktop.Secret.Prompt',member='Prompt'"
        self.monitor.call("/org/freedesktop/DBus", BUS + ".Monitoring", "BecomeMonitor", "asu", [[rule], 0], to=BUS)
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self.answer, self.watch)]
        for thread in self.threads:
            thread.start()

    def take(self, call):
        self.connection.answer(call)
        if call.member == "BeginPrompting":
            self.waiting.append((time.monotonic() + THOUGHT, call.sender, call.body[0]))

    def answer(self):
        while not self.is_over:
            self.wait(self.connection.receive)
            while self.waiting and self.waiting[0][0] < time.monotonic():
                _, sender, path = self.waiting.pop(0)
                self.connection.post(path, CALLBACK, "PromptDone", to=sender)

    def watch(self):
        while not self.is_over:
            message = self.wait(self.monitor.next_message)
            self.count += message is not None and message.member == "Prompt"

    @staticmethod
    def wait(receive):
        try:
            return receive(0.05)
        except Unanswered:
            return None

    def end(self):
        self.is_over = True
        for thread in self.threads:
            thread.join()
        self.connection.close()
        self.monitor.close()
        return self.count
