"""The stand-in and its records."""

import json
import subprocess
import urllib.parse
import urllib.request

CLIENT_ID = "app_EMoamEEZ73f0CkXaXp7hrann"


class StandIn:
    """A running `chappie-sandbox`, which ends with its `with` statement."""

    def __init__(self, programs, *options):
        self.process = subprocess.Popen(
            [programs / "chappie-sandbox", "--rate", "0", "--interval", "1", *options], stdout=subprocess.PIPE, text=True)
        self.issuer = self.process.stdout.readline().split()[1]
        self.port = self.issuer.rpartition(":")[2]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    # --- Requests of this program

    def post(self, path, body=None, form=False):
        kind = "application/x-www-form-urlencoded" if form else "application/json"
        data = urllib.parse.urlencode(body) if form else json.dumps(body if body is not None else {})
        request = urllib.request.Request(self.issuer + path, data.encode(), {"content-type": kind})
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)

    def play(self, *rules):
        self.post("/sandbox/scenario", list(rules))

    def state(self):
        with urllib.request.urlopen(f"{self.issuer}/sandbox/state", timeout=20) as answer:
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
