"""Fault injection: an issuer and a proxy with invalid answers, and the conditions that hold meanwhile.

The service reaches the issuer over TLS through a proxy. No answer of the proxy changes anything, and none of the issuer
except an OAuth error that ends a sign-in. Such an error may be a mistake too: the sign-in is kept, is not used for ten
minutes, and works again then.
"""

import os
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from checks import Checks
from session import Failure, Refused

sys.path.append(str(Path(__file__).parent.parent / "tls"))
from network import HTML, OAUTH, SERVER, Network, head  # noqa: E402

TRUST_STORE = "/etc/ssl/certs/ca-certificates.crt"
# The pause after a refused refresh, in seconds, and a little more.
PAUSE = 610
REFUSALS = (400, 401, 403)
STATUSES = (200, 201, 202, 204, 301, 302, 307, *REFUSALS, 404, 407, 418, 429, 451, 500, 502, 503, 599)
KINDS = ("application/json", "text/html", "text/plain", "application/octet-stream", "image/png", "")
ENDINGS = (b"invalid_grant", b"refresh_token_expired", b"refresh_token_reused", b"refresh_token_invalidated")


def can_run():
    """Whether this machine lets a test trust a server and shift the uptime for one program."""
    return subprocess.run(
        ["unshare", "--time", "--boottime", "700", "--mount", "mount", "--bind", "/dev/null", TRUST_STORE],
        capture_output=True).returncode == 0


class GarbageCount:
    """The counts so far."""

    def __init__(self):
        self.rounds = self.kills = self.checks = self.failures = 0
        # Misbehaviours that a connection met, by their origin.
        self.proxy = self.issuer = self.swallowed = self.refusals = 0
        # Errors in replies to callers.
        self.errors = Counter()
        self.lost = 0


class Garbage:
    """Misbehaves, while it is enabled, at each connection and request."""

    def __init__(self, random, count):
        self.random, self.count = random, count
        self.is_active = False
        # Whether the issuer may refuse a sign-in, and whether it has.
        self.may_refuse = self.has_refused = False
        self.lock = threading.Lock()

    def start(self, may_refuse):
        self.may_refuse, self.has_refused, self.is_active = may_refuse, False, True

    def stop(self):
        self.is_active = False

    # The proxy

    def connect(self):
        with self.lock:
            if not self.is_active or self.random.random() < 0.5:
                return "pass"
            self.count.proxy += 1
            status = self.random.choice([status for status in STATUSES if status >= 300])
            return self.random.choice([
                f"refuse {status}", f"refuse {status} oauth", f"refuse {self.random.choice(REFUSALS)} oauth", "cut",
                "half", "noise", "page", "intercept", f"silence {self.random.uniform(0, 0.3):.3f}"])

    # The issuer

    def answer(self, kind):
        """The issuer's false answer, and whether the issuer carries out the request; None for the true answer."""
        with self.lock:
            if not self.is_active or self.random.random() < 0.3:
                return None
            if kind == "refresh" and self.may_refuse and self.random.random() < 0.6:
                self.count.refusals += 1
                self.has_refused = True
                return self.refusal(), False
            # A server that fails between the operation and its answer does this.
            is_done = kind == "refresh" and self.random.random() < 0.3
            self.count.swallowed += is_done
            self.count.issuer += 1
            return self.noise(), is_done

    def refusal(self):
        code = self.random.choice(ENDINGS)
        body = self.random.choice([b'{"error":"%s"}', b'{"error":{"code":"%s","message":"Gone."}}']) % code
        return head(self.random.choice(REFUSALS), body, self.random.choice(KINDS))

    def noise(self):
        status, kind = self.random.choice(STATUSES), self.random.choice(KINDS)
        body = self.body()
        if b"invalid_grant" in body and body.endswith(b"}"):
            # With one of these codes it would be a refusal.
            status = self.random.choice([status for status in STATUSES if status not in REFUSALS])
        form = self.random.choice(["whole", "whole", "half", "chunked", "redirect", "raw", "endless"])
        if form == "half":
            return head(status, body, kind, len(body) + self.random.randrange(1, 5000))
        if form == "chunked":
            return (b"HTTP/1.1 %d X\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n" % (status, len(body) + 7)) + body
        if form == "redirect":
            return (b"HTTP/1.1 %d X\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                    % self.random.choice([301, 302, 303, 307, 308]))
        if form == "raw":
            return body
        if form == "endless":
            # The head gives neither a length nor an end.
            return (b"HTTP/1.1 %d X\r\nContent-Type: text/html\r\n\r\n" % status) + body
        return head(status, body, kind)

    def body(self):
        return self.random.choice([
            b"", HTML, OAUTH, b"{}", b"[]", b"null", b"0", OAUTH[:-1], OAUTH[:len(OAUTH) // 2],
            b'{"error":"invalid_client"}', b'{"error":"invalid_request"}', b'{"error":"server_error"}',
            b'{"error":{"code":"rate_limit_exceeded"}}', b'{"error":["invalid_grant"]}', b'{"message":"invalid_grant"}',
            b'{"access_token":5,"refresh_token":null}', b'{"access_token":"a","refresh_token":"b',
            b'{"access_token":"a',
            self.random.randbytes(self.random.randrange(1, 4000)), b"\x00" * 3000, b"x" * (2 << 20),
            b'{"error":"' + b"y" * (2 << 20) + b'"}', b"[" * 5000, b"HTTP/1.1 200 OK\r\n\r\n{}"])


class Place:
    """The environment of the service: behind the proxy, on a machine with a longer uptime."""

    url = f"https://{SERVER}"

    def __init__(self, folder, wire, garbage):
        folder.mkdir(exist_ok=True)
        self.trusted = folder / "trusted.pem"
        self.network = Network(folder, wire.server.server_address[1], garbage.connect, is_quiet=True)
        self.extra_uptime = 0

    @property
    def prefix(self):
        script = f'mount --bind "$0" {TRUST_STORE} && exec "$@"'
        return ["unshare", "--time", "--boottime", str(self.extra_uptime), "--",
                "unshare", "--mount", "--", "sh", "-c", script, self.trusted]

    @property
    def environment(self):
        return {**os.environ, "https_proxy": f"http://127.0.0.1:{self.network.port}"}


class GarbageRounds(Checks):
    """One round each: garbage at random moments, and then checks."""

    def __init__(self, session, random, phase, garbage, count):
        super().__init__(session, phase, None)
        self.random, self.garbage, self.count = random, garbage, count

    def prepare(self):
        if self.session.state() != "signed-in":
            self.session.sign_in()
        self.session.send()

    def run(self):
        """Runs one round; returns its failure, or None."""
        self.count.rounds += 1
        try:
            self.prepare()
            self.garbage.start(may_refuse=self.random.random() < 0.5)
            try:
                for _ in range(self.random.randint(2, 5)):
                    self.session.expire_access_tokens()
                    self.random.choice([self.use, self.use, self.use_and_kill, self.sign_in])()
            finally:
                self.garbage.stop()
            self.look()
            return None
        except (Failure, Refused) as failure:
            self.count.failures += 1
            return str(failure)

    # During garbage

    def use(self):
        error = self.answer()
        self.count.errors[error or "an answer"] += 1
        allowed = [None, "Network", "HTTPError", "RateLimited"]
        if self.garbage.has_refused:
            allowed.append("ReauthenticationRequired")
        self.check(error in allowed, f"{error}: {self.refusal}")
        self.check_state()

    def use_and_kill(self):
        """The service is killed during a request."""
        kill = threading.Timer(self.random.uniform(0, 0.06), self.session.kill_service)
        kill.start()
        try:
            self.session.send()
        except Refused:
            pass
        kill.join()
        self.count.kills += 1
        self.session.restart_service()
        self.check_state()

    def sign_in(self):
        """A sign-in over an existing one, which is kept until the new one has succeeded."""
        try:
            self.session.start_sign_in()
            time.sleep(self.random.uniform(0, 0.05))
        except Refused:
            pass
        self.session.call("Session.CancelSignIn")
        self.check_state()

    def check_state(self):
        allowed = ["signed-in"] + ["reauthentication-required"] * self.garbage.has_refused
        deadline = time.monotonic() + 5
        # A cancelled sign-in needs a moment to end.
        while (state := self.session.state()) == "signing-in" and time.monotonic() < deadline:
            time.sleep(0.01)
        self.check(state in allowed, f"garbage changed the state to {state}")

    # After garbage

    def look(self):
        item = self.stored()
        is_there = bool(item and item.token and self.ledger.accepts(item.token))
        self.count.lost += not is_there
        self.check(item, "garbage removed a sign-in from the keyring")
        self.check(item.token, "garbage removed a refresh token from the keyring")
        self.check(is_there, "the keyring holds a spent token")
        if self.session.state() == "reauthentication-required":
            self.wait_out()
        self.session.expire_access_tokens()
        self.check(self.answer() is None, f"a sign-in that should work was refused: {self.refusal}")
        self.check(self.session.state() == "signed-in", "the service is not signed in after an answer")
        self.check_fresh()

    def wait_out(self):
        """A sign-in that was refused by mistake is not used for ten minutes, and works again then."""
        refreshes = self.ledger.refreshes
        self.check(self.answer() == "ReauthenticationRequired", "the service forgot a refusal")
        self.check(self.ledger.refreshes == refreshes, "the service asked the issuer again too early")
        self.session.end_service()
        self.session.place.extra_uptime += PAUSE
        self.session.restart_service()
