"""Uses of `llm` with its plugin `llm-chatgpt-plan`, which signs in in the browser, in the order of a user's day."""

import os
import subprocess
import sys
from pathlib import Path

from checks import Failure, holds, same, true
from consent import as_browser
from public_refusals import REFUSALS
from standin import DUE, LONG

TIMEOUT = 120
MODEL = "chatgpt-plan/gpt-6-sol"
LIMIT = ("subscription_sharing_usage_limit_exceeded", "subscription_sharing_usage_unavailable")


class LLM:
    """The program `llm` with a folder of its own."""

    def __init__(self, folder):
        self.folder = folder

    def run(self, *arguments, decision="approve", fails=False):
        """Returns what a command prints, or its error output if it should fail."""
        result = subprocess.run(
            [Path(sys.executable).parent / "llm", *arguments], text=True, capture_output=True, timeout=TIMEOUT,
            stdin=subprocess.DEVNULL,
            env=os.environ | {"LLM_USER_PATH": str(self.folder), "BROWSER": as_browser(decision)})
        if fails == (result.returncode == 0):
            text = (result.stdout + result.stderr).strip()[-400:]
            raise Failure(f"it ends with status {result.returncode}: {text!r}")
        return result.stderr if fails else result.stdout

    def sign_in(self, **options):
        return self.run("chatgpt-plan", "login", **options)

    def ask(self, text, *options, **named):
        return self.run("-m", MODEL, *options, text, **named)


def is_declined(llm, standin):
    holds(llm.sign_in(decision="decline", fails=True), "declined in the browser", "the error")


def has_no_plan(llm, standin):
    holds(llm.sign_in(decision="without-plan", fails=True), "plan usage was not granted", "the error")
    # It has no way to ask again for the same registration.
    (llm.folder / "chatgpt-plan" / "pending.json").unlink()


def signs_in(llm, standin):
    holds(llm.sign_in(), "Signed in and verified ChatGPT plan access.", "the output")
    same(standin.state()["registrations"][-1]["name"], "llm-chatgpt-plan", "the name of the application")


def lists_models(llm, standin):
    listed = [line.split("\t")[0] for line in llm.run("chatgpt-plan", "models", "--refresh").splitlines()]
    true(MODEL in listed and "chatgpt-plan/codex-auto-review" not in listed, f"the models are {listed}")


def asks(llm, standin):
    same(llm.ask("What is a bus?").strip(), "You said: “What is a bus?” This conversation has 1 message.", "the answer")
    body = standin.last_request()["body"]
    same(sorted(body), ["input", "model", "store", "stream"], "the members of the request")


def continues(llm, standin):
    holds(llm.ask("And a tram?", "-c"), "You said: “And a tram?” This conversation has 3 messages.", "the answer")


def instructs(llm, standin):
    llm.ask("Hello", "-s", "Be brief.", "-o", "reasoning_effort", "high")
    body = standin.last_request()["body"]
    same((body["instructions"], body["reasoning"]), ("Be brief.", {"effort": "high"}), "the request")


def needs_a_stream(llm, standin):
    before = standin.count("api-responses")
    holds(llm.ask("Hello", "--no-stream", fails=True), "only support streaming", "the error")
    same(standin.count("api-responses"), before, "the number of requests")


def refusal(code, in_stream):
    def row(llm, standin):
        rule = {"endpoint": "api-responses", "refusal": code} | ({"in_stream": True} if in_stream else {})
        standin.play(rule)
        error = llm.ask("Hello", fails=True)
        what, status = REFUSALS[code]
        if code in LIMIT:
            holds(error, "ChatGPT plan usage is unavailable or exhausted", "the error")
        elif in_stream:
            holds(error, f"Response stream ended as response.failed ({code}", "the error")
        else:
            holds(error, f"HTTP {status}" + (f": {code}" if what == "error" else ""), "the error")
        same(standin.state()["remaining_rules"], 0, "the number of remaining rules")

    return row


def loses_an_answer(llm, standin):
    for ending in ("drop_after", "end_after"):
        standin.play({"endpoint": "api-responses", "text": "one two three", ending: 2})
        holds(llm.ask("Hello", fails=True), "Response stream", f"the error with {ending}")


def has_an_old_token(llm, standin):
    """It refreshes at no 401, neither for an answer nor for the models."""
    standin.post("/sandbox/expire-access-tokens")
    before = standin.count("browser-refresh")
    holds(llm.ask("Hello", fails=True), "HTTP 401", "the error")
    holds(llm.run("chatgpt-plan", "models", "--refresh", fails=True), "expired or was revoked", "the error")
    same(standin.count("browser-refresh"), before, "the number of refreshes")


def refreshes(llm, standin):
    standin.issues_tokens(DUE)
    llm.sign_in()
    standin.issues_tokens(LONG)
    before = standin.count("browser-refresh")
    holds(llm.ask("Still there?"), "You said: “Still there?”", "the answer")
    same(standin.count("browser-refresh"), before + 1, "the number of refreshes")


def is_refused_a_refresh(llm, standin):
    """It keeps the tokens, and says what to do."""
    standin.issues_tokens(DUE)
    llm.sign_in()
    for code, text in (("temporarily_unavailable", "HTTP 503"), ("invalid_client", "invalid_client"),
                       ("refresh_token_expired", "Sign-in required again")):
        standin.play({"endpoint": "browser-refresh", "refusal": code})
        holds(llm.ask("Hello", fails=True), text, f"the error for {code}")
    standin.issues_tokens(LONG)
    holds(llm.ask("Hello"), "You said: “Hello”", "the answer")


def loses_a_refresh(llm, standin):
    """It sends the token again, as a thief would, and so its sign-in ends."""
    standin.issues_tokens(DUE)
    llm.sign_in()
    standin.issues_tokens(LONG)
    standin.play({"endpoint": "browser-refresh", "drop_after": 0})
    holds(llm.ask("Hello", fails=True), "Could not reach the auth server", "the first error")
    holds(llm.ask("Hello", fails=True), "Sign-in required again", "the second error")
    llm.sign_in()


def signs_out(llm, standin):
    # Earlier sign-ins of this day live on: a new one does not revoke them.
    before = standin.state()["live_refresh_tokens"]
    holds(llm.run("chatgpt-plan", "logout"), "revoked remotely", "the output")
    same(standin.state()["live_refresh_tokens"], before - 1, "the number of valid refresh tokens")
    holds(llm.ask("Hello", fails=True), "Unknown model", "the error")


ROWS = [
    ("is declined", is_declined),
    ("is not allowed the plan", has_no_plan),
    ("signs in", signs_in),
    ("lists the models", lists_models),
    ("asks, with a stream", asks),
    ("continues", continues),
    ("gives instructions and an effort", instructs),
    ("refuses to ask without a stream", needs_a_stream),
    *[(f"reports {code}", refusal(code, False)) for code in REFUSALS],
    *[(f"reports {code} in the stream", refusal(code, True)) for code in (*LIMIT, "rate_limit_exceeded")],
    ("reports an interrupted answer", loses_an_answer),
    ("has a token that is refused", has_an_old_token),
    ("refreshes before the token ends", refreshes),
    ("is refused a refresh", is_refused_a_refresh),
    ("loses the answer to a refresh", loses_a_refresh),
    ("signs out", signs_out),
]
