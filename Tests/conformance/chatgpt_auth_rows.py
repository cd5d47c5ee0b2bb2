"""Uses of the `chatgpt-auth` package, which signs in in the browser. Each has a stand-in and a folder of its own."""

import os
import subprocess
import sys

import chatgpt_auth
import openai
from chatgpt_auth import errors
from chatgpt_auth.oauth import OAuth, make_http_client

from checks import Failure, fails, holds, same, true
from consent import Person, as_browser
from standin import DUE, LONG, PLAN_SCOPE

TIMEOUT = 60


class Client:
    """The package with a store."""

    def __init__(self, folder):
        self.path = folder / "credentials.json"

    def sign_in(self, decision="approve", user=None, **options):
        """Signs in; returns the credentials, and the person for what was shown."""
        person = Person(decision, user)
        credentials = chatgpt_auth.login(self.path, open_browser=person.open, timeout=TIMEOUT, **options)
        return credentials, person

    def is_refused(self, *arguments, error=errors.ChatGPTAuthError, **options):
        """Signs in without success; returns the text of the error."""
        return str(fails(error, self.sign_in, *arguments, **options))

    def status(self):
        return chatgpt_auth.status(self.path)

    def refresh(self):
        chatgpt_auth.Credentials.load(self.path).refresh()

    def command(self, *arguments, **environment):
        """Runs the program of the package, and returns what it prints."""
        result = subprocess.run(
            [sys.executable, "-m", "chatgpt_auth", "--credentials", self.path, *arguments], text=True,
            capture_output=True, timeout=TIMEOUT * 2, env=os.environ | environment)
        if result.returncode:
            raise Failure(f"{arguments[0]} ends with status {result.returncode}: {result.stderr.strip()[-400:]!r}")
        return result.stdout


def signs_in(client, standin):
    credentials, person = client.sign_in()
    true(credentials.client_id.startswith("oaiapp_"), "the client id is not an issued one")
    same(credentials.email, "ada@example.com", "the address of the account")
    true(PLAN_SCOPE in credentials.scopes, "plan use is not granted")
    same(person.pages, ["Connect an application"], "the pages")
    registration, = standin.state()["registrations"]
    same((registration["client_id"], registration["name"]), (credentials.client_id, "chatgpt-auth"), "the registration")
    true(registration["hosts"][0].startswith("urn:uuid:"), "the host id has another form")
    same([standin.count(name) for name in ("discovery", "jwks", "browser-token")], [1, 1, 1], "the requests")


def signs_in_with_a_browser(client, standin):
    holds(client.command("login", BROWSER=as_browser("chromium")), "verified ChatGPT plan access", "the output")
    holds(client.command("status"), "Account: ada@example.com", "the state")
    token = client.command("print-access-token").strip()
    holds(client.command("logout"), "revoked remotely", "the output")
    true(token not in client.path.read_text(), "the token is still stored")
    same(len(standin.state()["registrations"]), 1, "the number of registrations")


def uses_the_plan(client, standin):
    """Its program prints the token for other programs, here the `openai` package."""
    client.sign_in()
    api = openai.OpenAI(api_key=client.command("print-access-token").strip(), max_retries=0, timeout=TIMEOUT)
    true(api.get("/models", cast_to=dict[str, object])["models"], "there are no models")
    events = list(api.responses.create(
        model="gpt-6-sol", store=False, stream=True, input=[{"role": "user", "content": "Hello"}]))
    same(events[-1].type, "response.completed", "the last event")


def signs_in_again(client, standin):
    first, _ = client.sign_in()
    second, person = client.sign_in()
    same(person.pages, [], "the pages")
    same((second.client_id, second.subject), (first.client_id, first.subject), "the registration")
    true("agent_name_hint" not in person.addresses[0], "it names itself again")
    true("id_token_hint" in person.addresses[0], "it gives no hint")
    same(len(standin.state()["registrations"][0]["hosts"]), 1, "the number of hosts")


def chooses_the_account(client, standin):
    """The address that it prints for another browser has no hint."""
    first, _ = client.sign_in()
    person = Person()
    second, _ = client.sign_in(manual=True, show_url=lambda address, failed: person.open(address))
    same(person.pages, ["Choose an account"], "the pages")
    true("id_token_hint" not in person.addresses[0], "the address has a token")
    same(second.client_id, first.client_id, "the client id")


def pastes_the_address(client, standin):
    """The browser is on another machine, so the person copies the address at which it ends."""
    keyboard, terminal = os.openpty()

    def show(address, failed):
        lines = ["nonsense", "http://127.0.0.1:1/auth/callback?code=a&state=b", Person().decide(address)]
        os.write(keyboard, "".join(line + "\n" for line in lines).encode())

    refused = []
    with os.fdopen(terminal) as stream:
        client.sign_in(manual=True, show_url=show, input_stream=stream, warn=refused.append)
    os.close(keyboard)
    same(len(refused), 2, "the number of addresses that it refused")
    same(client.status().email, "ada@example.com", "the account")


def refuses_another_account(client, standin):
    first, _ = client.sign_in()
    person = Person(user="grace@example.com")
    error = fails(errors.AuthError, client.sign_in, manual=True, show_url=lambda address, failed: person.open(address))
    same(str(error), "account_mismatch", "the error")
    same(client.status().subject, first.subject, "the stored account")


def adds_an_application(client, standin):
    first, _ = client.sign_in()
    second, _ = client.sign_in(user="grace@example.com", replace=True)
    true(second.client_id != first.client_id, "the client id is the same")
    same(second.email, "grace@example.com", "the account")
    same(len(standin.state()["registrations"]), 2, "the number of registrations")
    # It keeps one account only, but does not revoke the other.
    same(standin.state()["live_refresh_tokens"], 2, "the number of valid refresh tokens")


def is_declined(client, standin):
    same(client.is_refused("decline"), "sign_in_declined", "the error")
    same(standin.count("browser-token"), 0, "the number of exchanges")
    same(client.status().connected, False, "the state")


def has_no_plan(client, standin):
    """It keeps the registration, and asks for no new decision: the next sign-in has no plan either."""
    same(client.is_refused("without-plan"), "plan_permission_required", "the error")
    person = Person()
    error = fails(errors.AuthError, client.sign_in, manual=True, show_url=lambda address, failed: person.open(address))
    same(str(error), "plan_permission_required", "the second error")
    same(person.pages, ["Choose an account"], "the pages")
    same(len(standin.state()["registrations"]), 1, "the number of registrations")


def refuses_id_tokens(client, standin):
    """Each refusal leaves the registration for the next attempt."""
    faults = [{"signature": fault} for fault in ("wrong", "unpublished", "none")]
    faults += [{"claims": claims} for claims in (
        {"nonce": "another"}, {"nonce": None}, {"aud": "oaiapp_another"}, {"iss": "https://other.example"}, {"exp": 1},
        {"sub": ""}, {"azp": "oaiapp_another"}, {"iat": None})]
    for fault in faults:
        standin.play({"endpoint": "browser-token", "id_token": fault})
        true(client.is_refused().startswith("invalid_"), f"{fault} is refused for another reason")
    same(client.status().connected, False, "the state")
    client.sign_in()
    same(len(standin.state()["registrations"]), 1, "the number of registrations")


def accepts_other_forms(client, standin):
    """One audience as a list is the usual form of the live server."""
    issued = client.sign_in()[0].client_id
    for claims in ({"aud": issued}, {"aud": [issued]}, {"azp": issued}):
        standin.play({"endpoint": "browser-token", "id_token": {"claims": claims}})
        client.sign_in()


def checks_origins(client, standin):
    for members, code in (({"issuer": "https://other.example"}, "invalid_issuer"),
                          ({"token_endpoint": "https://other.example/token"}, "invalid_discovery"),
                          ({"jwks_uri": "http://auth.openai.com/keys"}, "invalid_discovery"),
                          ({"revocation_endpoint": "https://other.example/revoke"}, "invalid_discovery")):
        standin.play({"endpoint": "discovery", "members": members})
        same(client.is_refused(), code, f"the error for {members}")
    same(standin.count("authorize"), 0, "the number of authorization requests")


def follows_new_keys(client, standin):
    """One client with its set of keys, before and after a rotation."""
    standin.issues_tokens(LONG)
    client.sign_in()
    record = chatgpt_auth.storage.read_record(client.path)
    with make_http_client() as http:
        oauth, token = OAuth(http), record["refresh_token"]
        same(oauth.verify(record["id_token"], record["client_id"])["sub"], record["subject"], "the subject")
        for keep in ("true", "false"):
            standin.post("/sandbox/rotate-keys", {"keep": keep})
            tokens = oauth.token_request({
                "grant_type": "refresh_token", "client_id": record["client_id"], "refresh_token": token,
                "resource": "https://api.openai.com/v1"})
            token = tokens["refresh_token"]
            same(oauth.verify(tokens["id_token"], record["client_id"])["sub"], record["subject"], "the subject")
        same(standin.count("jwks"), 4, "the number of requests for keys")
        fails(errors.AuthError, OAuth(http).verify, record["id_token"], record["client_id"])


def refreshes_in_time(client, standin):
    standin.issues_tokens(DUE)
    credentials, _ = client.sign_in()
    before = chatgpt_auth.storage.read_record(client.path)
    standin.issues_tokens(LONG)
    token = credentials.get_access_token()
    after = chatgpt_auth.storage.read_record(client.path)
    true(token == after["access_token"] != before["access_token"], "the access token is the same")
    true(after["refresh_token"] != before["refresh_token"], "the refresh token is the same")
    same(credentials.get_access_token(), token, "the next token")
    same(standin.count("browser-refresh"), 1, "the number of refreshes")
    same(standin.state()["live_refresh_tokens"], 1, "the number of valid refresh tokens")


def refreshes_early(client, standin):
    """It does not read `earliest_refresh_at`, which only matters where an early refresh is refused."""
    client.sign_in()
    standin.post("/sandbox/early-refresh", {"answer": "accepted"})
    client.refresh()
    for answer in ("refused", "spends"):
        standin.post("/sandbox/early-refresh", {"answer": answer})
        fails(errors.ReauthorizationRequiredError, client.refresh)
        same(client.status().connected, False, "the state")
        client.sign_in()


def ends_at_terminal_codes(client, standin):
    issued = client.sign_in()[0].client_id
    for code in ("invalid_grant", "invalid_refresh_token", "token_expired", "refresh_token_expired",
                 "refresh_token_invalidated", "refresh_token_reused"):
        standin.play({"endpoint": "browser-refresh", "refusal": code})
        holds(str(fails(errors.ReauthorizationRequiredError, client.refresh)), "revoked", f"the error for {code}")
        same((client.status().connected, client.status().client_id), (False, issued), "the state")
        same(client.sign_in()[0].client_id, issued, "the client id of the next sign-in")


def keeps_at_other_codes(client, standin):
    client.sign_in()
    before = client.path.read_bytes()
    for code in ("invalid_client", "invalid_request"):
        standin.play({"endpoint": "browser-refresh", "refusal": code})
        holds(str(fails(errors.NetworkError, client.refresh)), code, "the error")
    same(client.path.read_bytes() == before, True, "whether the sign-in is as it was")


def retires_what_is_uncertain(client, standin):
    """Our service goes on with the access token until it ends."""
    for rule in ({"refusal": "temporarily_unavailable"}, {"status": 502}, {"drop_after": 0}):
        client.sign_in()
        standin.play({"endpoint": "browser-refresh"} | rule)
        holds(str(fails(errors.ReauthorizationRequiredError, client.refresh)), "unknown", f"the error for {rule}")
        same(client.status().connected, False, "the state")


def uses_a_token_twice(client, standin):
    """As a copy of the store on another machine would."""
    standin.issues_tokens(LONG)
    client.sign_in()
    copy = client.path.read_bytes()
    client.refresh()
    client.path.write_bytes(copy)
    fails(errors.ReauthorizationRequiredError, client.refresh)
    same(standin.state()["live_refresh_tokens"], 0, "the number of valid refresh tokens")


def is_old(client, standin):
    """A machine that was off for more than thirty days."""
    standin.post("/sandbox/refresh-token-lifetime", {"seconds": "0"})
    client.sign_in()
    fails(errors.ReauthorizationRequiredError, client.refresh)
    standin.post("/sandbox/refresh-token-lifetime", {"seconds": "2592000"})
    standin.issues_tokens(LONG)
    client.sign_in()
    client.refresh()


def is_disconnected(client, standin):
    """The user disconnects it in the settings of ChatGPT, and it is not told."""
    credentials, _ = client.sign_in()
    standin.post("/sandbox/disconnect", {"client_id": credentials.client_id})
    true(credentials.get_access_token(), "it knows")
    fails(errors.ReauthorizationRequiredError, client.refresh)


def ignores_other_parameters(client, standin):
    """The callback may name the issuer (RFC 9207). It does not check the value."""
    for issuer in ("https://auth.openai.com", "https://other.example"):
        standin.post("/sandbox/callback", {"iss": issuer, "hint": "1"})
        client.sign_in()


def checks_the_callback(client, standin):
    standin.post("/sandbox/callback", {"client_id": ""})
    same(client.is_refused(), "missing_client_id", "the error without a client id")
    standin.post("/sandbox/callback", {"client_id": "dynamic_agent_client"})
    same(client.is_refused(), "missing_client_id", "the error with the client id of everyone")
    standin.post("/sandbox/callback", {})
    client.sign_in()
    standin.post("/sandbox/callback", {"client_id": "oaiapp_another"})
    same(client.is_refused(), "client_id_mismatch", "the error with another client id")
    same(client.status().connected, True, "the state")


def signs_out(client, standin):
    client.sign_in()
    standin.play({"endpoint": "browser-revoke", "refusal": "temporarily_unavailable"})
    result = chatgpt_auth.logout(client.path)
    same((result.local_cleared, result.remote_revoked), (True, True), "the result")
    same(standin.count("browser-revoke"), 2, "the number of requests")
    same(standin.state()["live_refresh_tokens"], 0, "the number of valid refresh tokens")
    same(len(standin.state()["registrations"]), 1, "the number of registrations")


def cannot_revoke(client, standin):
    client.sign_in()
    standin.play({"endpoint": "browser-revoke", "status": 500, "times": "always"})
    result = chatgpt_auth.logout(client.path)
    same((result.local_cleared, result.remote_revoked), (True, False), "the result")
    same(client.status().connected, False, "the state")


ROWS = [
    ("signs in, a new application", signs_in),
    ("signs in and out, in Chromium", signs_in_with_a_browser),
    ("asks for models and an answer", uses_the_plan),
    ("signs in again, without a page", signs_in_again),
    ("signs in again, with the choice of the account", chooses_the_account),
    ("is given the address of another machine's browser", pastes_the_address),
    ("refuses another account", refuses_another_account),
    ("connects a second application", adds_an_application),
    ("is declined", is_declined),
    ("is not allowed the plan", has_no_plan),
    ("refuses eleven wrong ID tokens", refuses_id_tokens),
    ("accepts the forms of an audience", accepts_other_forms),
    ("refuses another origin in the discovery", checks_origins),
    ("checks the client id of the callback", checks_the_callback),
    ("ignores other parameters of the callback", ignores_other_parameters),
    ("fetches new keys", follows_new_keys),
    ("refreshes before the token ends", refreshes_in_time),
    ("refreshes too early", refreshes_early),
    ("ends at the six terminal codes", ends_at_terminal_codes),
    ("keeps the sign-in at other codes", keeps_at_other_codes),
    ("ends at an unknown result", retires_what_is_uncertain),
    ("uses a refresh token twice", uses_a_token_twice),
    ("has a refresh token that is too old", is_old),
    ("is disconnected in the settings", is_disconnected),
    ("signs out, at the second attempt", signs_out),
    ("signs out, not confirmed", cannot_revoke),
]
