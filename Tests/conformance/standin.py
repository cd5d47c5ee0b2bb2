"""The stand-in and its records."""

import base64
import hashlib
import json
import secrets
import subprocess
import urllib.parse
import urllib.request

CLIENT_ID = "app_EMoamEEZ73f0CkXaXp7hrann"
PLAN_SCOPE = "chatgpt.tokens.use.direct"
RESOURCE = "https://api.openai.com/v1"
REDIRECT = "http://127.0.0.1:1/auth/callback"
# The clients of the sign-in in the browser refresh a token with a minute left.
DUE, LONG = 60, 3600


class StandIn:
    """A running `chappie-sandbox`, which ends with its `with` statement."""

    def __init__(self, programs, *options):
        self.process = subprocess.Popen(
            [programs / "chappie-sandbox", "--rate", "0", "--interval", "1", *options], stdout=subprocess.PIPE, text=True)
        self.issuer = self.local = self.process.stdout.readline().split()[1]
        if "--public-url" in options:
            # The fourth line.
            self.local = [self.process.stdout.readline() for _ in range(3)][-1].split()[1]
        self.port = self.local.rpartition(":")[2]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    # --- Requests of this program

    def post(self, path, body=None, form=False):
        kind = "application/x-www-form-urlencoded" if form else "application/json"
        data = urllib.parse.urlencode(body) if form else json.dumps(body if body is not None else {})
        request = urllib.request.Request(self.local + path, data.encode(), {"content-type": kind})
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)

    def play(self, *rules):
        self.post("/sandbox/scenario", list(rules))

    def issues_tokens(self, lifetime):
        """Sets the lifetime of tokens; a refresh is never early."""
        self.post("/sandbox/access-token-lifetime", {"seconds": str(lifetime)})
        self.post("/sandbox/early-refresh", {"answer": "accepted"})

    def state(self):
        with urllib.request.urlopen(f"{self.local}/sandbox/state", timeout=20) as answer:
            return json.load(answer)

    def count(self, endpoint):
        return self.state()["requests"][endpoint]

    def last_request(self):
        return self.state()["last_responses_request"]

    def access_token(self):
        """Signs in as a program without a client library."""
        code = self.post("/api/accounts/deviceauth/usercode", {"client_id": CLIENT_ID})
        self.post("/sandbox/approve", {"user_code": code["user_code"]})
        approval = self.post("/api/accounts/deviceauth/token", code)
        tokens = self.post("/oauth/token", {
            "grant_type": "authorization_code", "client_id": CLIENT_ID, "code": approval["authorization_code"],
            "code_verifier": approval["code_verifier"], "redirect_uri": f"{self.issuer}/deviceauth/callback"}, form=True)
        return tokens["access_token"]

    def plan_token(self, **decision):
        """Signs in as a program in the browser, which a control request plays."""
        verifier = secrets.token_urlsafe(48)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        query = urllib.parse.urlencode({
            "client_id": "dynamic_agent_client", "agent_name_hint": "Conformance", "response_type": "code",
            "ext_agent_host_id": "urn:uuid:6f1c8a52-0d0c-4c53-9c0f-5f6c9b1f7d01", "redirect_uri": REDIRECT,
            "resource": RESOURCE, "state": "s", "nonce": "n", "scope": f"openid offline_access {PLAN_SCOPE}",
            "code_challenge_method": "S256", "code_challenge": challenge})
        location = self.post(
            "/sandbox/authorize", {"address": f"{self.issuer}/api/accounts/authorize?{query}"} | decision)["location"]
        answer = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(location).query))
        return self.post("/api/accounts/oauth/token", {
            "grant_type": "authorization_code", "client_id": answer["client_id"], "code": answer["code"],
            "code_verifier": verifier, "redirect_uri": REDIRECT, "resource": RESOURCE}, form=True)["access_token"]
