#!/usr/bin/env python3
"""A server of the Model Context Protocol that stands for mcp-server-git in tests, where PyPI is not reachable.

    Tests/tool-server.py [--repository DIRECTORY] [--tools FILE] [--greeter]

It speaks the revision 2025-11-25. FILE is a list of tools in JSON, in which `$NAME` has the value of an environment
variable; a file FILE.ran tells that the server ran. With --greeter its one tool greets, tells its progress, and asks the
user whom.
"""

import json
import os
import sys

TOOLS = """[
  {"name": "git_log", "description": "Shows the commits of a repository.",
   "inputSchema": {"type": "object", "properties": {"since": {"type": "string"}}},
   "annotations": {"readOnlyHint": true, "openWorldHint": false}},
  {"name": "git_commit", "description": "Records changes.",
   "inputSchema": {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]},
   "annotations": {"readOnlyHint": false, "destructiveHint": false}}
]"""
GREETER = [{"name": "greet", "description": "Greets somebody.", "inputSchema": {"type": "object"}}]
QUESTION = {"message": "Who is greeted?", "requestedSchema": {
    "type": "object", "required": ["name"],
    "properties": {"name": {"type": "string", "title": "Name"}, "loud": {"type": "boolean", "title": "Loudly"}}}}


def tools():
    if "--greeter" in sys.argv:
        return GREETER
    if "--tools" not in sys.argv:
        return json.loads(TOOLS)
    path = sys.argv[sys.argv.index("--tools") + 1]
    with open(f"{path}.ran", "w"), open(path) as file:
        return json.loads(os.path.expandvars(file.read()))


def answer(method, params):
    if method == "initialize":
        return {"result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                           "serverInfo": {"name": "git", "version": "1"}, "instructions": "Be careful."}}
    if method == "tools/list":
        return {"result": {"tools": tools()}}
    if method == "tools/call":
        text = "3f2a91c Release the lock on every path" if params["name"] == "git_log" else "Committed."
        return {"result": {"content": [{"type": "text", "text": text}]}}
    return {"error": {"code": -32601, "message": "unknown method"}}


def greeting(answer):
    if answer.get("action") != "accept":
        return "Nobody is greeted."
    name = answer["content"]["name"]
    return f"Hello {name.upper()}!" if answer["content"].get("loud") else f"Hello {name}."


def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def ask(params):
    """The answer comes as another message."""
    send(method="notifications/progress", params={
        "progressToken": params["_meta"]["progressToken"], "progress": 1, "total": 2, "message": "Looking for a name"})
    send(id="question", method="elicitation/create", params=QUESTION)


greets = None
for line in sys.stdin:
    message = json.loads(line)
    if message.get("id") == "question":
        send(id=greets, result={"content": [{"type": "text", "text": greeting(message["result"])}]})
    elif message.get("method") == "tools/call" and message["params"]["name"] == "greet":
        greets = message["id"]
        ask(message["params"])
    elif "id" in message and "method" in message:
        send(id=message["id"], **answer(message["method"], message.get("params", {})))
