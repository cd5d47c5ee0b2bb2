"""Uses of the Codex CLI with the stand-in, in the order of a user's day."""

import json
import re
import secrets

from checks import holds, same, true

MODEL = "gpt-6.1-sol"


def signs_in(codex, standin, transport):
    holds(codex.sign_in(), "Successfully logged in", "the output")
    same(standin.count("token"), 1, "the number of exchanges")
    true(json.loads(codex.credential.read_text())["tokens"]["account_id"], "no account is stored")


def asks(codex, standin, transport):
    holds(codex.ask("What is a bus?"), "You said: “What is a bus?”", "the answer")
    request = standin.last_request()
    same(request["transport"], transport, "the transport")
    # The best model, in the lite form and without instructions.
    same(request["body"]["model"], MODEL, "the model")
    same(request["body"].get("instructions"), None, "the request's instructions")
    same(request["body"].get("tools"), None, "the request's tools")
    same(standin.count("prewarm"), 1 if transport == "websocket" else 0, "the number of prewarms")


def resumes(codex, standin, transport):
    first = codex.ask("One")
    second = codex.resume("Two")
    holds(second, "You said: “Two”", "the answer")
    # The question and its answer.
    same(messages(second) - messages(first), 2, "the number of messages that resuming adds")
    same(standin.last_request()["transport"], transport, "the transport")


def messages(answer):
    return int(re.search(r"This conversation has (\d+) message", answer)[1])


def calls_a_tool(codex, standin, transport):
    secret = secrets.token_hex(8)
    (codex.work / "note").write_text(secret)
    script = 'const result = await tools.exec_command({cmd: "cat note"}); text(result.output)'
    standin.play({"endpoint": "responses", "tool_calls": [{"name": "exec", "namespace": "functions", "input": script}]})
    holds(codex.ask("Read the note."), secret, "the answer")
    same(last_item(standin)["type"], "custom_tool_call_output", "the last item")
    turn = standin.state()["turn_state"]
    same(turn["sent_back"], turn["given"], "the turn state that came back")


def calls_a_function(codex, standin, transport):
    """Uses a model with the plain form of requests."""
    secret = secrets.token_hex(8)
    (codex.work / "note").write_text(secret)
    standin.post("/sandbox/restore", {"model": "gpt-5.5"})
    call = {"name": "exec_command", "arguments": {"cmd": "cat note"}}
    standin.play({"endpoint": "responses", "tool_calls": [call]})
    holds(codex.ask("Read the note.", "--model", "gpt-5.5"), secret, "the answer")
    same(last_item(standin)["type"], "function_call_output", "the last item")
    true(standin.last_request()["body"]["tools"], "the request has no tools")


def last_item(standin):
    return standin.last_request()["body"]["input"][-1]


def retries_an_answer(codex, standin, transport):
    standin.play({"endpoint": "responses", "text": "one two three four", "drop_after": 2})
    holds(codex.ask("Once more"), "You said: “Once more”", "the answer")
    same(standin.state()["remaining_rules"], 0, "the number of remaining rules")


def reports_the_limit(codex, standin, transport):
    standin.post("/sandbox/usage", {"primary": {"used_percent": 100}})
    holds(codex.run("exec", "--skip-git-repo-check", "More", fails=True), "usage limit", "the error")
    standin.post("/sandbox/usage", {"primary": {"used_percent": 20}})


def reports_a_retired_model(codex, standin, transport):
    standin.post("/sandbox/retire", {"model": "gpt-6-sol"})
    error = codex.run("exec", "--skip-git-repo-check", "--model", "gpt-6-sol", "More", fails=True)
    holds(error, "The 'gpt-6-sol' model is not supported when using Codex with a ChatGPT account.", "the error")
    standin.post("/sandbox/restore", {"model": "gpt-6-sol"})


def refreshes_after_a_401(codex, standin, transport):
    before = codex.credential.read_text()
    standin.post("/sandbox/expire-access-tokens")
    holds(codex.ask("Still there?"), "You said: “Still there?”", "the answer")
    true(standin.count("refresh") >= 1, "it did not refresh")
    true(codex.credential.read_text() != before, "it did not store new tokens")


def refreshes_in_time(codex, standin, transport):
    """Begins with a token that is near its end."""
    standin.post("/sandbox/access-token-lifetime", {"seconds": "240"})
    codex.sign_in()
    standin.post("/sandbox/access-token-lifetime", {"seconds": "864000"})
    before = standin.count("refresh")
    holds(codex.ask("Quick!"), "You said: “Quick!”", "the answer")
    true(standin.count("refresh") > before, "it did not refresh")


def signs_out(codex, standin, transport):
    before = standin.count("revoke")
    codex.run("logout")
    true(not codex.credential.exists(), "the credential is still there")
    same(standin.count("revoke"), before + 1, "the number of revocations")
    same(standin.state()["live_refresh_tokens"], 0, "the number of valid refresh tokens")


ROWS = [
    ("signs in by device code", signs_in),
    ("asks", asks),
    ("resumes", resumes),
    ("calls a tool (lite model)", calls_a_tool),
    ("calls a function (plain model)", calls_a_function),
    ("retries an interrupted answer", retries_an_answer),
    ("reports the usage limit", reports_the_limit),
    ("reports a retired model", reports_a_retired_model),
    ("refreshes after a 401", refreshes_after_a_401),
    ("refreshes before the token ends", refreshes_in_time),
    ("signs out", signs_out),
]
