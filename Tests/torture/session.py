"""The programs of a private session: the service, the stand-in, the keyring, and calls to them."""

import http.client
import json
import math
import re
import signal
import subprocess
import threading
import time
import urllib.request

from seal import open_seal
from wire import Wire

TIMEOUT = 120
SLOT = ("com.chappie.sdk", "default", "", "")
KEYRING = ("org.freedesktop.secrets", "/org/freedesktop/secrets")


class Failure(Exception):
    """An event that must never happen."""


class Refused(Exception):
    """The service refused a call."""

    def __init__(self, output):
        super().__init__(output)
        error = re.search(r"GDBus\.Error:([\w.]+)", output)
        # The message without the prefix of the service's own errors.
        self.name = error[1].removeprefix("org.chappie.Error.") if error else output


def wait_until(condition, what, seconds=TIMEOUT):
    """The first true value of the condition."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise Failure(f"{what} did not come within {seconds} s")
        time.sleep(0.005)
    return value


def gdbus(name, path, method, *arguments):
    """A call's reply as gdbus prints it."""
    run = subprocess.run(
        ["gdbus", "call", "--session", "--timeout", str(TIMEOUT), "--dest", name, "--object-path", path,
         "--method", method, *arguments], capture_output=True, text=True)
    if run.returncode != 0:
        raise Refused(run.stderr.strip())
    return run.stdout


class Item:
    """A stored credential, opened."""

    def __init__(self, text):
        self.is_copy = "attribute.copy = " in text
        self.rule = re.search(r"^attribute.accessibility = (.*)$", text, re.M)[1]
        self.credential = open_seal(re.search(r"^secret = (.*)$", text, re.M)[1], SLOT)
        # None when it cannot be renewed any more.
        self.token = self.credential.get("refresh_token")
        self.is_refused = "refused_uptime" in self.credential
        # Its token may have been redeemed.
        self.is_marked = "redeemed_at" in self.credential
        self.renewed_at = self.credential["renewed_at"]


class Session:
    """A context manager: the processes that it started end with it."""

    def __init__(self, programs, log):
        self.programs, self.log = programs, log
        self.wire = Wire()
        self.news = News()
        self.service = self.sandbox = self.keyring = None
        # The environment of the service, if it is another one; see garbage.py.
        self.place = None
        # Whether sign-ins are in the browser.
        self.in_browser = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.news.end()
        for process in (self.service, self.sandbox, self.keyring):
            if process:
                process.terminate()
                process.wait()

    # The stand-in

    def start_sandbox(self, *options):
        """Starts a new stand-in, which knows no earlier sign-in."""
        if self.sandbox:
            self.sandbox.terminate()
            self.sandbox.wait()
        self.sandbox = subprocess.Popen(
            [self.programs / "chappie-sandbox", "--auto-approve", "--rate", "0", *options],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        url = self.sandbox.stdout.readline().split()[1]
        self.wire.connect(url, grace="--refresh-grace" in options)
        self.url = url

    def expire_access_tokens(self):
        self.control("expire-access-tokens")

    def set_pace(self, milliseconds):
        """Sets the pause before each piece of an answer."""
        self.control("scenario", [{"endpoint": "responses", "times": "always", "delta_delay_ms": milliseconds}])

    def control(self, path, content=None):
        body = json.dumps(content).encode() if content else None
        request = urllib.request.Request(f"{self.url}/sandbox/{path}", body, method="POST")
        urllib.request.urlopen(request, timeout=TIMEOUT).close()

    # The service

    def launch_service(self):
        issuer = self.place.url if self.place else self.wire.url
        command = [self.programs / "chappied", "--issuer", issuer, "--backend", f"{self.url}/backend-api"]
        if self.place:
            command = self.place.prefix + command
        self.service = subprocess.Popen(
            command, env=self.place.environment if self.place else None, stdout=self.log, stderr=self.log)

    def start_service(self):
        self.launch_service()
        if not self.is_there(TIMEOUT):
            raise Failure("the service did not start")

    def is_there(self, seconds):
        """Whether this process answers in time, and not an ended one that the bus still lists."""
        deadline = time.monotonic() + seconds
        bus = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.GetConnectionUnixProcessID")
        while (left := deadline - time.monotonic()) > 0:
            subprocess.run(["gdbus", "wait", "--session", "--timeout", str(math.ceil(left)), "org.chappie"],
                           stderr=subprocess.DEVNULL)
            try:
                if f"uint32 {self.service.pid}," in gdbus(*bus, "org.chappie"):
                    return True
            except Refused:
                pass
        return False

    def kill_service(self):
        self.service.kill()

    def end_service(self):
        """Tells it to end, and waits for its end."""
        self.service.send_signal(signal.SIGTERM)
        if self.service.wait(TIMEOUT) != 0:
            raise Failure(f"the service ended with status {self.service.returncode}")

    def recover(self):
        """Makes everything run again after a failed round."""
        if subprocess.run(["gdbus", "wait", "--session", "--timeout", "1", KEYRING[0]]).returncode != 0:
            self.start_keyring()
        self.service.kill()
        self.restart_service()

    def restart_service(self):
        self.service.wait()
        self.start_service()

    def call(self, member, *arguments):
        return gdbus("org.chappie", "/org/chappie", f"org.chappie.{member}", *arguments)

    def send(self):
        self.call("Client.Send", "hi", "{}")

    def start_sign_in(self):
        if not self.in_browser:
            self.call("Session.StartDeviceCodeSignIn", "{}")
            return
        page = re.search(r"'(http[^']*)'", self.call("Session.StartBrowserSignIn", "{'open': <false>}"))[1]
        threading.Thread(target=self.visit, args=(page,), daemon=True).start()

    @staticmethod
    def visit(page):
        """Opens a page as a browser does, which the stand-in leads to the service's listener at once."""
        try:
            urllib.request.urlopen(page, timeout=TIMEOUT).close()
        except (OSError, http.client.HTTPException):
            pass  # The service was killed.

    def sign_in(self):
        since = time.monotonic()
        self.start_sign_in()
        self.news.wait_for("'linked'", since)

    def sign_out(self):
        self.call("Session.SignOut")

    def property(self, name):
        reply = gdbus("org.chappie", "/org/chappie", "org.freedesktop.DBus.Properties.Get",
                      "org.chappie.Session", name)
        return reply.strip()

    def state(self):
        return re.search(r"'(.*)'", self.property("State"))[1]

    def start_host(self, *arguments):
        """Starts a library host: `send TEXT` or `sign-in ACCESSIBILITY`."""
        return subprocess.Popen(
            [self.programs / "library-host", self.wire.url, f"{self.url}/backend-api", *arguments],
            stdout=self.log, stderr=self.log)

    # The keyring

    def items(self):
        """The stored items of the default slot."""
        return [Item(text) for text in wait_until(self.found, "a keyring that gives its secrets")[1:]]

    def found(self):
        """The texts of the items after an empty one; None while an item's secret cannot be read."""
        run = subprocess.run(
            ["secret-tool", "search", "--all", "xdg:schema", "org.chappie.Credential"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT)
        found = re.split(r"^\[/", run.stdout, flags=re.M)
        if not all("\nsecret = " in text for text in found[1:]):
            return None
        return found

    def kill_keyring(self):
        if self.keyring:
            self.keyring.kill()
            self.keyring.wait()
            return
        # The session's own keyring, which the session's creator started.
        process = gdbus("org.freedesktop.DBus", "/org/freedesktop/DBus",
                        "org.freedesktop.DBus.GetConnectionUnixProcessID", KEYRING[0])
        subprocess.run(["kill", "-KILL", re.search(r"uint32 (\d+)", process)[1]], check=True)

    def start_keyring(self):
        self.keyring = subprocess.Popen(
            ["gnome-keyring-daemon", "--unlock", "--foreground", "--components=secrets"],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.keyring.stdin.write(b"password")
        self.keyring.stdin.close()
        subprocess.run(["gdbus", "wait", "--session", "--timeout", str(TIMEOUT), KEYRING[0]], check=True)


class News:
    """The service's signals, with the time of each."""

    def __init__(self):
        self.lines = []
        self.arrived = threading.Condition()
        self.watch = None
        self.process = subprocess.Popen(
            ["gdbus", "monitor", "--session", "--dest", "org.chappie"], stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            with self.arrived:
                self.lines.append((time.monotonic(), line))
                watch = self.watch
                self.arrived.notify_all()
            if watch and watch[0] in line:
                watch[1]()

    def on(self, text, action):
        """Calls `action` when a signal contains `text`."""
        self.watch = (text, action)

    def ignore(self):
        """Removes the action."""
        self.watch = None

    def forget(self):
        """Forgets all signals so far."""
        with self.arrived:
            self.lines = []

    def told(self, *texts):
        """Whether one signal contains all of these texts."""
        return any(all(text in line for text in texts) for _, line in self.lines)

    def said(self, text, since):
        return any(at >= since and text in line for at, line in self.lines)

    def wait_for(self, text, since):
        with self.arrived:
            if not self.arrived.wait_for(lambda: self.said(text, since), TIMEOUT):
                raise Failure(f"a signal with {text} did not come within {TIMEOUT} s")

    def end(self):
        self.process.terminate()
        self.process.wait()
