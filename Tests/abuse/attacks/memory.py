"""Data that the service keeps for a caller."""

import os
import struct
from pathlib import Path
from tempfile import TemporaryDirectory

from bus.chappie import options
from bus.marshal import Raw, Variant

# So many empty messages are just below the 64 MiB limit of an array; with further keys the reply exceeds it.
MOST_EMPTY = 2_796_190
PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489")


def pair(role, length):
    """A message in its encoded form in an array."""
    text = b"w" * length
    role = role.encode()
    content = struct.pack("<I", len(role)) + role + b"\0"
    content += bytes(-len(content) % 4) + struct.pack("<I", len(text)) + text + b"\0"
    return content


def messages(pair, count):
    return {"messages": Variant("a(ss)", Raw(pair, 8, count))}


def empty_messages(attacker):
    """One small call with an answer longer than a bus message may be."""
    caller = attacker.connect()
    client = caller.open_client()
    for _ in range(attacker.random.randrange(1, 4)):
        count = attacker.known(MOST_EMPTY, attacker.sizes(1000, MOST_EMPTY))
        attacker.attempt(caller.client, client, "ResumeContext", "a{sv}", [messages(pair("user", 0), count)])
        attacker.attempt(caller.client, client, "GetContext")
        attacker.attempt(caller.client, client, "GetContextSize", "u", [1])
    caller.close()


def long_contexts(attacker):
    """Many conversations, each of the greatest length or longer."""
    caller = attacker.connect()
    for _ in range(40):
        if attacker.is_over:
            break
        client = attacker.attempt(caller.open_client)
        if not client:
            break
        length = attacker.sizes(16, 4 << 20)
        context = messages(pair(attacker.random.choice(["user", "assistant", "x"]), length),
                           max(1, attacker.message_size() // (length + 24)))
        if attacker.random.random() < 0.3:
            context["compacted_summary"] = Variant("s", "w" * (attacker.message_size() // 2))
        attacker.attempt(caller.client, client, "ResumeContext", "a{sv}", [context])
        if attacker.random.random() < 0.5:
            attacker.attempt(caller.client, client, "GetContext")
        if attacker.random.random() < 0.2:
            attacker.attempt(caller.send, client, "hi")
    caller.close()


def tools_of(count, schema):
    return [options(name=f"tool_{index}", description="d", input_schema=schema) for index in range(count)]


def register(attacker, caller, client, tools):
    return attacker.attempt(caller.client, client, "RegisterTools", "aa{sv}o", [tools, "/"])


def tools(attacker):
    """Schemas of many megabytes, on many clients."""
    caller = attacker.connect()
    for _ in range(64):
        if attacker.is_over:
            break
        client = attacker.attempt(caller.open_client)
        if not client:
            break
        schema = attacker.random.choice([
            lambda size: '{"type": "object", "description": "' + "w" * size + '"}',
            lambda size: '{"type": "object", "properties": {' + ",".join(
                f'"p{index}": {{"type": "string", "minLength": 1}}' for index in range(size // 40)) + "}}",
            lambda size: '{"type": "object", "enum": [' + ",".join(['{"a": 1}'] * (size // 9)) + "]}",
        ])
        total = attacker.known(40 << 20, attacker.message_size())
        count = attacker.random.randrange(1, 130)
        register(attacker, caller, client, tools_of(count, schema(total // count)))
        if attacker.random.random() < 0.2:
            attacker.attempt(caller.send, client, "hi", tools=tools_of(4, schema(1 << 18)))
    caller.close()


def long_numbers(attacker):
    """JSON that takes long in a parser that is not linear."""
    caller = attacker.connect()
    client = caller.open_client(**attacker.transport())
    size = attacker.known(7 << 20, attacker.sizes(1 << 12, 12 << 20))
    number = attacker.known("12345678901234567890", attacker.random.choice([
        "12345678901234567890", "1.2345678901234567890123", "1e19", "-99999999999999999999",
        "9" * 400, "1" * 5000, "0." + "0" * 300 + "1", "1E-400"]))
    numbers = ",".join([number] * max(1, size // len(number)))
    if attacker.known(True, attacker.random.random() < 0.6):
        schema = f'{{"type": "object", "properties": {{"a": {{"enum": [{numbers}]}}}}}}'
        register(attacker, caller, client, tools_of(1, schema))
    else:
        register(attacker, caller, client, tools_of(1, '{"type": "object"}'))
        attacker.attempt(caller.send, client, attacker.wish(do="call_with", kind="numbers", size=size, name="tool_0"))
    caller.close()


def data_images(attacker):
    """Images in messages, which stay in the conversation."""
    caller = attacker.connect()
    client = caller.open_client(**attacker.transport())
    for _ in range(12):
        if attacker.is_over:
            break
        count = attacker.random.choice([1, 4, 16, 17, 300])
        image = "data:image/png;base64," + "iVBOR" + "A" * attacker.sizes(16, (8 << 20) // count)
        attacker.attempt(caller.send, client, "hi", images=[image] * count)
    attacker.attempt(caller.client, client, "GetContext")
    caller.close()


def make_file(path, kind, attacker):
    """Makes a file of some kind; returns its path."""
    match kind:
        case "hollow":
            with open(path, "wb") as file:
                file.write(PNG)
                file.truncate(attacker.random.choice([20 << 20, (20 << 20) + 1, 8 << 30]))
        case "full":
            size = attacker.known(20 << 20, attacker.random.choice([20 << 20, 19 << 20, 1 << 20]))
            path.write_bytes(PNG + bytes(size - len(PNG)))
        case "fifo":
            os.mkfifo(path)
        case "device":
            return "/dev/" + attacker.random.choice(["zero", "random", "full", "tty"])
        case "folder":
            path.mkdir()
    return str(path)


def files(attacker):
    """Files that are long, sparse, endless or silent, and things that are no files."""
    kinds = ["hollow", "full", "full", "full", "fifo", "device", "folder", "missing"]
    with TemporaryDirectory(dir=attacker.folder) as folder, attacker.connect(sandboxed=False) as caller:
        paths = [make_file(Path(folder) / str(index), attacker.known("full", attacker.random.choice(kinds)), attacker)
                 for index in range(16)]
        good = [path for path in paths if os.path.isfile(path) and os.path.getsize(path) <= 20 << 20] or paths
        client = caller.open_client(**attacker.transport())
        for _ in range(3):
            if attacker.is_over:
                break
            some = (good * 16)[:attacker.random.randrange(1, 17)]
            chosen = attacker.known(paths, attacker.random.choice([paths, (good * 16)[:16], some]))
            serials = [caller.post(client, "org.chappie.Client", "Send", "sa{sv}", ["hi", options(images=chosen)])
                       for _ in range(attacker.random.choice([1, 1, 4]))]
            for serial in serials:
                attacker.attempt(caller.reply, serial)


def harnesses(attacker):
    """Instructions of a megabyte each, on many clients, repeatedly."""
    caller = attacker.connect()
    clients = [client for _ in range(64) if (client := attacker.attempt(caller.open_client))]
    watcher = attacker.connect()
    for _ in range(100):
        if attacker.is_over or not clients:
            break
        length = attacker.random.choice([1 << 20, (1 << 20) - 100, 1000, 4 << 20])
        harness = options(name="n", instructions="w" * length)
        serials = [caller.post(client, "org.chappie.Client", "SetHarness", "a{sv}", [harness])
                   for client in attacker.random.sample(clients, min(8, len(clients)))]
        for serial in serials:
            attacker.attempt(caller.reply, serial)
    watcher.close()
    caller.close()
