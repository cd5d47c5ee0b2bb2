#!/usr/bin/python3
"""A tool server that plays what servers do, and what none should.

    server.py legacy|modern|silent|slow|code:N [LIST]

The first argument is its answer to the first question of a client, the second one the list of tools. What a call does is
in the function of the tool's name.
"""

import json
import os
import subprocess
import sys
import time

REVISION = sys.argv[1]
LIST = sys.argv[2] if len(sys.argv) > 2 else "plain"
OUT = sys.stdout.buffer
PNG = ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")

received = []
changes = 0
first = True
listening = None


def write(data):
    OUT.write(data)
    OUT.flush()


def send(message):
    write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


def notify(method, **params):
    send({"method": method, "params": params})


def read():
    line = sys.stdin.buffer.readline()
    if not line:
        sys.exit()
    message = json.loads(line)
    received.append({key: message[key] for key in message if key != "jsonrpc"})
    return message


def asks(method, **params):
    """The client's response to a request of this server."""
    send({"id": "mine", "method": method, "params": params})
    while True:
        message = read()
        if message.get("id") == "mine":
            return message


def text(words, **members):
    return {"content": [{"type": "text", "text": words}], **members}


def tool(name, **members):
    return {"name": name, "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}, **members}


# --- The lists of tools ----------------------------------------------------------------------------------------------

def plain(cursor):
    return {"tools": [tool("echo", description=f"Repeats. {changes}", annotations={"readOnlyHint": True})]}


def daemons(cursor):
    return {"tools": [tool("daemon")]}


def pages(cursor):
    number = int(cursor or 0)
    return {"tools": [tool(f"tool{number}")], **({"nextCursor": str(number + 1)} if number < 2 else {})}


def endless(cursor):
    return {"tools": [], "nextCursor": "again"}


def million(cursor):
    # The writer of this language takes longer than the client waits, on a busy machine.
    tools = b",".join([b'{"name":"tool"}'] * (2 << 20))
    write(b'{"jsonrpc":"2.0","id":%d,"result":{"tools":[%s]}}\n' % (received[-1]["id"], tools))


def thousands(cursor):
    number = int(cursor or 0)
    return {"tools": [tool(f"t{number + index}") for index in range(400)], "nextCursor": str(number + 400)}


def large(cursor):
    return {"tools": [tool(f"t{cursor or 0}", description="x" * (5 << 20))], "nextCursor": f"{cursor or 0}0"}


def deep(cursor, depth=10_000):
    # The writer of this language has a limit of its own.
    nested = '{"type":"object","items":' * depth + "{}" + "}" * depth
    write(b'{"jsonrpc":"2.0","id":%d,"result":{"tools":[{"name":"deep","inputSchema":%s}]}}\n'
          % (received[-1]["id"], nested.encode()))


def nested(cursor):
    deep(cursor, 100)


def foreign(cursor):
    return {"tools": [tool("far", inputSchema={"properties": {"enum": {"$ref": "https://example.org/s.json"}}})]}


def hidden(cursor):
    return {"tools": [tool("hidden", inputSchema={"properties": {"a\u202eb": {}}})]}


def twins(cursor):
    return {"tools": [tool("one"), tool("one")]}


def nameless(cursor):
    return {"tools": [tool("no name")]}


def keywords(cursor):
    properties = {"const": {"const": 1}, "description": {"description": "a\u200bb"}, "$schema": {"type": "string"}}
    return {"tools": [tool("words", inputSchema={"$schema": "x", "properties": properties})]}


def restless(cursor):
    """The list changes while it is read."""
    global changes
    changes += 1
    notify("notifications/tools/list_changed")
    return plain(cursor)


# --- The tools -------------------------------------------------------------------------------------------------------

def echo(arguments, params):
    return text(arguments.get("text", ""))


def messages(arguments, params):
    return text(json.dumps(received))


def kinds(arguments, params):
    return {"content": [
        {"type": "text", "text": "words"}, {"type": "image", "data": PNG, "mimeType": "image/png"},
        {"type": "image", "data": "AAAA", "mimeType": "image/png"},
        {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
        {"type": "resource_link", "uri": "file:///a", "name": "a link"},
        {"type": "resource", "resource": {"uri": "file:///b", "text": "a page"}},
        {"type": "resource", "resource": {"uri": "file:///c", "blob": "AAAA"}},
        {"type": "hologram"}], "structuredContent": {"left": "out"}}


def structured(arguments, params):
    return {"content": [], "structuredContent": {"a": [1, None]}}


def megabyte(arguments, params):
    return text("x" * 1_000_000)


def six(arguments, params):
    return {"content": [{"type": "image", "data": PNG, "mimeType": "image/png"}] * 6}


def fails(arguments, params):
    return text("no such file", isError=True)


def refuses(arguments, params):
    send({"id": received[-1]["id"], "error": {"code": -32602, "message": "not\x1b[31m like this"}})


def works(arguments, params):
    token = params["_meta"]["progressToken"]
    for step in range(1, 6):
        time.sleep(3)
        notify("notifications/progress", progressToken=token, progress=step, total=5, message=f"step {step}")
    return text("done")


def silence(arguments, params):
    return None


def dies(arguments, params):
    print("out of\x1b[2J luck", file=sys.stderr, flush=True)
    os._exit(3)


def breaks(arguments, params):
    write(b'{"jsonrpc":"2.0","id":')
    os._exit(0)


def notes(arguments, params):
    write(b"Listening...\n\n[]\n{\"level\": \"info\"}\n" * 5)
    return text("done")


def noise(arguments, params):
    write(b"Listening...\n" * 200)


def line(arguments, params):
    for _ in range(100):
        write(b"x" * 1_000_000)


def twice(arguments, params):
    for words in ["first", "second"]:
        send({"id": received[-1]["id"], "result": text(words)})


def ids(arguments, params):
    for number in [999_999, -1, "1", 1.5, None, [], 1 << 63]:
        send({"id": number, "result": text("wrong")})
    return text("right")


def marks(arguments, params):
    return text("a\x1b[31mb\u202ec\u200bd\ue000e\U000e0041f\u200dg\r\nh")


def octets(arguments, params):
    write(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"a\xff\xfeb"}]}}\n'
          % received[-1]["id"])


def surrogate(arguments, params):
    return text("a\ud800b")


def asked(answer):
    return text(json.dumps(answer, sort_keys=True))


def question(params, request):
    if REVISION != "modern":
        return asked(asks("elicitation/create", **request)["result"])
    state = "s \u00e9\u2028\"\\"
    if "inputResponses" not in params:
        return {"resultType": "input_required", "requestState": state,
                "inputRequests": {"q": {"method": "elicitation/create", "params": request}}}
    if params["requestState"] != state:
        return text("another state", isError=True)
    return asked(params["inputResponses"]["q"])


def form(arguments, params):
    schema = {"type": "object", "required": ["size"], "properties": {
        "size": {"type": "integer", "title": "How many"}, "colour": {"type": "string", "enum": ["red", "blue"]}}}
    return question(params, {"message": "Which?", "requestedSchema": schema})


def page(arguments, params):
    return question(params, {"mode": "url", "message": "Sign in there", "url": "https://example.org/"})


def password(arguments, params):
    field = arguments.get("text", "password")
    return question(params, {"message": arguments.get("message", ""), "requestedSchema": {
        "type": "object", "properties": {field: {"type": "string"}}}})


def rounds(arguments, params):
    request = {"message": "Again?", "requestedSchema": {"type": "object", "properties": {}}}
    if REVISION == "modern":
        return {"resultType": "input_required", "inputRequests": {
            "q": {"method": "elicitation/create", "params": request}}}
    return asked([asks("elicitation/create", **request)["result"]["action"] for _ in range(20)])


def requests(arguments, params):
    answers = [asks(method) for method in ["ping", "roots/list", "sampling/createMessage", "no/such"]]
    return asked([answer.get("error", {}).get("code", answer.get("result")) for answer in answers])


def flood(arguments, params):
    token = params["_meta"]["progressToken"]
    for number in range(20_000):
        notify("notifications/message", level="info", data="x")
        notify("notifications/tools/list_changed")
        notify("notifications/progress", progressToken=token, progress=number)
    return text("done")


def begs(arguments, params):
    """Many requests, without reading an answer."""
    for number in range(1_000_000):
        send({"id": number, "method": "elicitation/create", "params": {}})


def deaf(arguments, params):
    while True:
        time.sleep(1000)


def errors(arguments, params):
    for _ in range(50_000):
        print("something went wrong", file=sys.stderr)
    sys.stderr.write("\r50 %" * 1_000_000)
    sys.stderr.flush()
    return text("done")


def child(arguments, params):
    subprocess.Popen(["sleep", arguments["text"]])
    return text("started")


def daemon(arguments, params):
    """It keeps the pipes of this server, too."""
    subprocess.Popen(["sleep", arguments["text"]], start_new_session=True)
    if arguments.get("end"):
        os._exit(0)
    return text("started")


def tell(arguments, params):
    global changes
    changes += 1
    more = {"_meta": {"io.modelcontextprotocol/subscriptionId": listening}} if listening else {}
    notify("notifications/tools/list_changed", **more)
    return text("told")


# --- The protocol ----------------------------------------------------------------------------------------------------

def result(message):
    """The result of a request; None when there is none, or when it was sent already."""
    global first, listening
    method, params = message["method"], message.get("params") or {}
    number = message["id"]
    if method == "server/discover":
        ready, first = not first, False
        if REVISION == "silent":
            return None
        if REVISION == "modern" or REVISION == "slow" and ready:
            return {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {"listChanged": True}},
                    "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "play", "version": "2"}}}
        code = int(REVISION[5:]) if REVISION.startswith("code:") else -32601
        return send({"id": number, "error": {"code": code, "message": "what?"}})
    if method == "initialize":
        if REVISION in ("modern", "slow"):
            return send({"id": number, "error": {"code": -32022, "message": "not here"}})
        return {"protocolVersion": "1999-01-01" if REVISION == "code:1999" else params["protocolVersion"],
                "capabilities": {"tools": {"listChanged": True}}, "serverInfo": {"name": "play", "version": "1"}}
    if method == "subscriptions/listen":
        listening = number
        return notify("notifications/subscriptions/acknowledged")
    if method == "tools/list":
        return globals()[LIST](params.get("cursor"))
    return globals()[params["name"]](params.get("arguments") or {}, params)


if LIST == "chatter":
    LIST = "plain"
    write(b"Welcome!\n")
while True:
    message = read()
    if "method" in message and "id" in message:
        answer = result(message)
        if answer is not None:
            send({"id": message["id"], "result": answer})
