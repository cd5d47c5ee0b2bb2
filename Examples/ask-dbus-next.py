#!/usr/bin/python3
# Asks the model, and prints the answer as it arrives, with asyncio and without GLib.
import asyncio
import json
import socket
import sys
from dbus_next import Message, aio


async def ask(question):
    bus = await aio.MessageBus(negotiate_unix_fd=True).connect()
    reply = await bus.call(
        Message("org.chappie", "/org/chappie", "org.chappie.Client", "OpenTurn", signature="a{sv}", body=[{}]))
    if reply.error_name:
        return reply.body[0]
    lines, line = await asyncio.open_unix_connection(sock=socket.socket(fileno=reply.unix_fds[0]), limit=1 << 24)
    line.write(json.dumps({"text": question}).encode() + b"\n")
    async for event in lines:
        event = json.loads(event)
        if event["event"] in ("completed", "failed"):
            return event.get("message")
        print(event["text"] if event["event"] == "text-delta" else "", end="", flush=True)
    return "\nThe service ended before it answered."

sys.exit(asyncio.run(ask(" ".join(sys.argv[1:]))) or print())
