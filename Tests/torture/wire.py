"""A relay between the service and the issuer, with a record of its traffic.

The service knows the stand-in by the relay's address. So the harness sees each issued token, can act between the
issuer's answer and its arrival, and can lose answers.
"""

import json
import re
import socket
import socketserver
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

# The stages of an exchange: the service has sent the request; the issuer has carried it out; its answer has been
# written to the service's socket.
RECEIVED, ANSWERED, DELIVERED = "received", "answered", "delivered"
# The ways to lose an answer: the request is not sent; the answer does not arrive; a part of it arrives.
REFUSED, LOST, HALVED = "refused", "lost", "halved"


@dataclass
class Token:
    """A refresh token."""
    grant: int
    predecessor: str = None
    was_used: bool = False
    was_revoked: bool = False
    successors: list = field(default_factory=list)


class Ledger:
    """The refresh tokens that the issuer has issued, and those that it would accept."""

    def __init__(self, grace):
        self.grace = grace
        self.tokens = {}
        self.newest = None
        self.grants = 0
        self.refreshes = 0
        self.refusals = 0
        # How often each refresh token and each code was sent, also by a request that did not reach the issuer.
        self.sent = Counter()

    def signed_in(self, token):
        self.grants += 1
        self.newest = token
        self.tokens[token] = Token(self.grants)

    def refreshed(self, old, new):
        self.refreshes += 1
        if new is None:
            self.refusals += 1
            return
        self.newest = new
        self.tokens[old].was_used = True
        self.tokens[old].successors.append(new)
        self.tokens[new] = Token(self.tokens[old].grant, old)

    def revoked(self, token):
        for other in self.tokens.values():
            if token in self.tokens and other.grant == self.tokens[token].grant:
                other.was_revoked = True

    def accepts(self, token):
        known = self.tokens.get(token)
        if not known or known.was_revoked:
            return False
        if self.grace:
            return not any(self.tokens[successor].was_used for successor in known.successors)
        return not known.was_used


class Trap:
    """An action that runs once, at one stage of the next exchange of one kind."""

    def __init__(self, kind, stage, action=None, delay=0):
        self.kind, self.stage, self.action, self.delay = kind, stage, action, delay
        self.is_set = True

    def spring(self, kind, stage):
        """Whether the trap was set for this moment."""
        if not self.is_set or (kind, stage) != (self.kind, self.stage):
            return False
        self.is_set = False
        time.sleep(self.delay)
        if self.action:
            self.action()
        return True


class Wire:
    def __init__(self):
        self.target = None
        self.ledger = None
        self.trap = None
        # The issuer's false answer, and whether the issuer carries out the request; see garbage.py.
        self.garbage = lambda kind: None
        # The delay of a refresh's answer, in seconds.
        self.latency = 0
        self.delivered_at = {}
        self.lock = threading.Lock()
        self.active = 0
        wire = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                try:
                    while self.rfile.peek(1):
                        with wire.lock:
                            wire.active += 1
                        try:
                            request = wire.read_request(self.rfile)
                            if not request or not wire.exchange(request, self.rfile, self.wfile):
                                break
                        finally:
                            with wire.lock:
                                wire.active -= 1
                except OSError:
                    pass  # The service was killed.

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True
            request_queue_size = 64

            def handle_error(self, request, client_address):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def connect(self, url, grace):
        """Connects to another issuer from now on."""
        self.target = ("127.0.0.1", int(url.rsplit(":", 1)[1]))
        self.ledger = Ledger(grace)

    def settle(self):
        """Waits until the issuer has carried out and answered all requests."""
        deadline = time.monotonic() + 20
        while self.active and time.monotonic() < deadline:
            time.sleep(0.001)

    # One request and its answer

    def exchange(self, request, rest, output):
        """Returns whether the connection stays open for the next request."""
        kind = self.kind(request)
        fields = self.fields(request) if kind in ("exchange", "refresh", "revoke") else {}
        if kind in ("exchange", "refresh"):
            self.ledger.sent[fields.get("refresh_token") or fields.get("code")] += 1
        self.springs(kind, RECEIVED)
        if self.springs(kind, REFUSED):
            return False
        garbage, is_done = self.garbage(kind) or (None, True)
        if is_done:
            answer = self.forward(request)
            self.note(kind, fields, answer)
        if garbage is not None:
            output.write(garbage)
            return False
        if self.springs(kind, LOST):
            return False
        if self.springs(kind, HALVED):
            output.write(answer[:len(answer) * 2 // 3])
            return False
        self.springs(kind, ANSWERED)
        if kind == "refresh":
            time.sleep(self.latency)
        answer, stays = self.kept_alive(answer)
        output.write(answer)
        output.flush()
        self.delivered_at[kind] = time.monotonic()
        self.springs(kind, DELIVERED)
        return stays

    @staticmethod
    def kept_alive(answer):
        """The answer of a server that keeps the connection, as the stand-in does not, if it has a length."""
        head, separator, body = answer.partition(b"\r\n\r\n")
        if b"\r\ncontent-length:" not in head.lower():
            return answer, False
        return re.sub(rb"\r\nconnection: close", b"", head, flags=re.I) + separator + body, True

    def springs(self, kind, stage):
        return self.trap is not None and self.trap.spring(kind, stage)

    @staticmethod
    def read_request(stream):
        """The bytes of a whole request; none when the client left before its end."""
        head, length = b"", 0
        while not head.endswith(b"\r\n\r\n"):
            line = stream.readline()
            if not line:
                return None
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
            head += line
        body = stream.read(length)
        return head + body if len(body) == length else None

    @staticmethod
    def kind(request):
        head = request.partition(b"\r\n\r\n")[0].lower()
        path = head.split(b" ")[1].partition(b"?")[0]
        if path.endswith(b"/oauth/token"):
            return "refresh" if Wire.fields(request).get("grant_type") == "refresh_token" else "exchange"
        return path.rsplit(b"/", 1)[1].decode()

    @staticmethod
    def fields(request):
        """The members of a JSON object, or those of a form."""
        head, _, body = request.partition(b"\r\n\r\n")
        if b"application/json" in head.lower():
            return json.loads(body or b"{}")
        return dict(parse_qsl(body.decode(errors="replace")))

    def address(self, request):
        return self.target

    def forward(self, request):
        answer = b""
        with socket.create_connection(self.address(request)) as upstream:
            upstream.sendall(request)
            while data := upstream.recv(65536):
                answer += data
        return answer

    def note(self, kind, fields, answer):
        head, _, content = answer.partition(b"\r\n\r\n")
        succeeded = head.split(b" ")[1] == b"200"
        if kind == "exchange" and succeeded:
            self.ledger.signed_in(json.loads(content)["refresh_token"])
        elif kind == "refresh":
            new = json.loads(content)["refresh_token"] if succeeded else None
            self.ledger.refreshed(fields["refresh_token"], new)
        elif kind == "revoke" and succeeded:
            self.ledger.revoked(fields["token"])
