#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the QML module of the Plasma applet, which “make plasma” builds, without Plasma. Tests/plasma.py has the rest.

    scripts/private-session Tests/plasma-module.py DIRECTORY-WITH-THE-PROGRAMS
"""

import json
import subprocess
import sys

from support import TOP, Failure, World, call_service, equal, parse_arguments, user_code, wait_for


class Module:
    def __init__(self):
        modules = sorted((TOP / "desktop/plasma/package/contents/ui").glob("*.mjs"))
        self.process = subprocess.Popen([TOP / ".build/plasma/org/chappie/plasma/try", *modules], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, bufsize=1)

    def value(self, expression):
        """The value of a JavaScript expression, in which `service` and `turn` are defined."""
        self.process.stdin.write(f"JSON.stringify({expression}) ?? 'null'\n")
        line = self.process.stdout.readline()
        try:
            return json.loads(line)
        except ValueError:
            raise Failure(f"{expression}: {line}") from None

    def becomes(self, expression, value):
        last = None

        def is_so():
            nonlocal last
            last = self.value(expression)
            return last == value
        try:
            wait_for(expression, is_so)
        except Failure as failure:
            raise Failure(f"{failure}: it is {last!r:.200}, not {value!r:.200}") from None

    def does(self, statement):
        self.value(f"void ({statement})")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def uses(module, world):
    folder = TOP / "Tests/desktop"
    shown = module.value(f"markdown({json.dumps((folder / 'answer.md').read_text())})")
    equal("the marked-up answer", shown, (folder / "answer.markup").read_text())
    yield "marks answers up as the extension does"

    module.does("reply = null, seen = []")
    module.becomes("service.presence", "starting")
    module.does("service.refresh()")
    module.becomes("service.presence", "missing")
    world.start_service()
    # The change of the name's owner is enough.
    module.becomes("service.presence", "running")
    module.becomes("service.session.State", "signed-out")
    yield "finds the service"

    module.does("service.call('Session', 'StartDeviceCodeSignIn', [{notify: false}], "
                "(values, code, message) => reply = [values[0], code, message], true)")
    code = wait_for("the code", user_code)
    module.becomes("reply", [code, "", ""])
    module.becomes("[service.session.SignInStep.kind, service.session.SignInStep.code]", ["show-code", code])
    module.becomes("service.session.Availability.action", "sign-in")
    world.control("approve", f"user_code={code}".encode())
    module.becomes("service.session.State", "signed-in")
    module.becomes("[service.session.Availability.action, service.session.SignInStep]", ["none", {}])
    module.does("service.call('Manager', 'GetApproval', ['none'], "
                "(values, code, message) => reply = [values, code, message !== ''])")
    module.becomes("reply", [[], "InvalidArgument", True])
    yield "signs in"

    text = "one, two, drei und vüer."
    world.answer(text, hold_after=2)
    module.does("turn.textShown = true, turn.textChanged.connect(() => seen.push(turn.text)), turn.ask('Count.')")
    module.becomes("seen.some(text => text !== '')", True)
    world.release()
    module.becomes("turn.running", False)
    module.becomes("[turn.text, turn.answer, turn.code, turn.question]", [text, text, "", "Count."])
    seen = module.value("seen")
    if len(set(seen)) < 3 or not all(text.startswith(part) for part in seen):
        raise Failure(f"the answer came as {seen}")
    module.becomes("turn.thread", call_service("Threads.List", "(a{sv})", {})[0]["id"])
    yield "asks and streams"

    module.does("turn.options = {model: 'gpt-6-astra', reasoning_effort: 'low'}, turn.ask('Again.')")
    module.becomes("turn.running", False)
    turns = json.loads(call_service("Threads.Get", "(s)", module.value("turn.thread")))["turns"]
    options = next(event["message"]["options"] for event in turns[-1]["events"] if event["kind"] == "input")
    equal("the options", options, {"fastMode": False, "model": "gpt-6-astra", "reasoningEffort": "low"})
    module.does("turn.options = {}")
    yield "asks with other options"

    def questions():
        turns = json.loads(call_service("Threads.Get", "(s)", module.value("turn.thread")))["turns"]
        return [event["message"]["text"] for turn in turns for event in turn["events"] if event["kind"] == "input"]

    for text in ("Once more.", "Once more.", "Edited."):
        module.does(f"turn.ask('{text}', true)")
        module.becomes("[turn.running, turn.code]", [False, ""])
        equal("the stored questions", questions(), ["Count.", text])
    call_service("Threads.Send", "(ssa{sv})", module.value("turn.thread"), "From elsewhere", {})
    module.does("turn.ask('Edited.', true)")
    module.becomes("[turn.running, turn.code]", [False, "InvalidArgument"])
    equal("the stored questions", questions(), ["Count.", "Edited.", "From elsewhere"])
    yield "replaces the last question"

    world.answer("x" * 100000)
    module.does("seen.length = 0, turn.ask('A long text.')")
    module.becomes("turn.running", False)
    module.becomes("[turn.text.length, turn.answer.length, turn.code]", [8000, 100000, ""])
    if (drawn := module.value("seen.length")) > 100:
        raise Failure(f"a text that did not change was drawn {drawn} times")
    yield "bounds what is drawn"

    world.hold("one two three")
    module.does("turn.ask('Count.')")
    module.becomes("turn.text.startsWith('one two')", True)
    module.does("turn.cancel()")
    module.becomes("[turn.running, turn.code]", [False, "Cancelled"])
    yield "stops"

    world.start_locker()
    world.lock(True)
    module.becomes("service.manager.LockState", "locked")
    module.does("turn.ask('Now?')")
    module.becomes("[turn.running, turn.code]", [False, "Locked"])
    world.lock(False)
    module.becomes("service.manager.LockState", "unlocked")
    yield "knows the lock"

    module.becomes(r"service.visible('a\u202eb\u3164\n\u{1f600}\u{e0041}')", "a\\u{202e}b\\u{3164}\n\U0001f600\\u{e0041}")
    yield "escapes invisible characters"

    world.hold("one two three")
    module.does("turn.ask('Count.')")
    module.becomes("turn.text.startsWith('one two')", True)
    world.kill_service()
    module.becomes("[turn.running, turn.code]", [False, "Interrupted"])
    module.becomes("[service.presence, Object.keys(service.session).length]", ["starting", 0])
    world.start_service()
    module.becomes("service.session.State", "signed-in")
    module.becomes("[service.session.Availability.action, service.session.SignInStep]", ["none", {}])
    world.answer("I am back.")
    module.does("turn.ask('Are you?')")
    module.becomes("turn.answer", "I am back.")
    module.does("turn.reset()")
    module.becomes("[turn.question, turn.answer, turn.thread]", ["", "", ""])
    yield "lives on without the service"


def main():
    parse_arguments()
    world = World("--rate", "20", "--interval", "1")
    module = Module()
    try:
        for step in uses(module, world):
            print(f"ok    {step}", flush=True)
    except Failure as failure:
        print(f"FAIL  {failure}")
        return 1
    finally:
        module.close()
        world.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
