"""Calls that are too large, of wrong types, or from callers that leave."""

import time
import xml.etree.ElementTree as XML
from functools import cache
from pathlib import Path

from bus.chappie import ROOT, options
from bus.connection import BUS
from bus.marshal import Raw, Variant, types

FOLDER = Path(__file__).parents[3] / "dbus"
# Methods that an unsandboxed program may call, and that would end the service or the bystander's sign-in.
PERMITTED = {"SignOut", "StartDeviceCodeSignIn", "CancelSignIn", "DeleteAll", "Erase"}


@cache
def methods():
    """(interface, member, signature) of all documented methods, and of those that every object has."""
    found = []
    for file in sorted(FOLDER.glob("org.chappie.*.xml")):
        for interface in XML.parse(file).getroot().iter("interface"):
            for method in interface.iter("method"):
                signature = "".join(arg.get("type") for arg in method.iter("arg") if arg.get("direction") == "in")
                found.append((interface.get("name"), method.get("name"), signature))
    return found + [(BUS + ".Properties", "Get", "ss"), (BUS + ".Properties", "GetAll", "s"),
                    (BUS + ".Properties", "Set", "ssv"), (BUS + ".Introspectable", "Introspect", ""),
                    (BUS + ".Peer", "GetMachineId", ""), (BUS + ".ObjectManager", "GetManagedObjects", "")]


def oversize(attacker):
    """Messages near the greatest size of a bus message."""
    with attacker.connect(sandboxed=attacker.random.random() < 0.3) as caller:
        client = caller.open_client()
        size = attacker.known(60 << 20, attacker.message_size())
        text = b"w" * size
        match attacker.known(attacker.random.choice([4, 5, 6]), attacker.random.randrange(8)):
            case 0: attacker.attempt(caller.client, client, "Send", "sa{sv}", [text, {}])
            case 1: attacker.attempt(caller.client, client, "Nobody", "s", [text])
            case 2: attacker.attempt(caller.client, client, "Send", "ss", [text, "x"])
            case 3: attacker.attempt(caller.client, client, "SetHarness", "a{sv}", [{"unknown": Variant("ay", text)}])
            case 4: attacker.attempt(caller.manager, "OpenClient", "a{sv}", [{"unknown": Variant("as", Raw(
                bytes(5), 4, size // 8))}])
            case 5: attacker.attempt(caller.client, client, "Respond", "a(ss)a{sv}", [
                Raw(bytes(13), 8, size // 16), {}])
            case 6: attacker.attempt(caller.call, ROOT, BUS + ".Properties", "Set", "ssv",
                                     ["org.chappie.Client", "Model", Variant("av", Raw(b"\1y\0\0", 1, size // 4))])
            case 7: attacker.attempt(caller.call, "/" + "x" * 10000, "a." + "y" * 250, "z" * 250, "s", [text])


def deep(attacker):
    value = Variant("s", "x")
    for _ in range(attacker.random.choice([1, 10, 60, 63])):
        value = Variant("v", value)
    return value


def value_of(attacker, type, known):
    """Any value of a type."""
    choice = attacker.random
    match type[0]:
        case "b" | "y": return choice.randrange(2)
        case "u": return choice.choice([0, 1, 1 << 31, (1 << 32) - 1])
        case "i": return choice.choice([0, -1, (1 << 31) - 1, -(1 << 31)])
        case "x": return choice.choice([0, -1, (1 << 63) - 1, -(1 << 63)])
        case "t": return choice.choice([0, (1 << 64) - 1])
        case "d": return choice.choice([0.0, -1.0, float("nan"), float("inf"), 1e308])
        case "s": return choice.choice(["", "x", "\u202e\x1b[31m", "w" * attacker.sizes(1, 1 << 20), *known["s"]])
        case "o": return choice.choice(["/", ROOT, *known["o"]])
        case "v":
            kind = choice.choice(["v", "s", "u", "as", "a{ss}", "a{sv}", "aa{sv}", "d", "b"])
            return deep(attacker) if kind == "v" else Variant(kind, value_of(attacker, kind, known))
        case "a" if type[1] == "{":
            # Rarely many, because each may hold more of its kind.
            keys = choice.sample(known["keys"], choice.choice([0, 0, 1, 3])) + ["x" * choice.randrange(1, 300)]
            return {key: value_of(attacker, type[3:-1], known) for key in keys[:choice.randrange(len(keys) + 1)]}
        case "a":
            count = choice.choice([0, 0, 1, 2] if "v" in type else [0, 1, 3, 300])
            return [value_of(attacker, type[1:], known) for _ in range(count)]
        case _: return tuple(value_of(attacker, each, known) for each in types(type[1:-1]))


def typed(attacker):
    """Random values of right and of wrong types, for every method of every interface."""
    sandboxed = attacker.random.random() < 0.5
    with attacker.connect(sandboxed=sandboxed) as caller:
        client, session = caller.open_client(), caller.open_session()
        keys = sorted({key for key in KEYS})
        known = {"s": ["org.chappie.Client", "Model", "1", "gpt-6-sol"], "o": [client, session], "keys": keys}
        for _ in range(400):
            if attacker.is_over:
                break
            interface, member, signature = attacker.random.choice(methods())
            if not sandboxed and member in PERMITTED:
                continue
            path = attacker.random.choice([client, client, session, ROOT, "/", ROOT + "/nobody"])
            if attacker.random.random() < 0.15:
                signature = attacker.random.choice(["", "s", "a{sv}", "v", "aas", "(ii)", "ay", "aa{sv}"])
            values = [value_of(attacker, type, known) for type in types(signature)]
            seconds = min(0.3, attacker.left)
            result = attacker.attempt(caller.call, path, interface, member, signature, values, seconds=seconds)
            if result and isinstance(result[0], str) and len(result[0]) < 200:
                known["o" if result[0].startswith("/") else "s"].append(result[0])


KEYS = ["model", "fast_mode", "reasoning_effort", "instructions", "images", "broadcast", "continue", "tools", "name",
        "summary", "capabilities", "plugins", "preset", "harness", "keychain_service", "keychain_account",
        "keychain_access_group", "keychain_accessibility", "rate_limit_backoff", "max_retries", "initial_delay",
        "streaming_transport_policy", "prefers_web_socket", "automatic_compaction", "messages", "compacted_summary",
        "session_id", "thread_id", "created_at", "title", "limit", "cursor", "archived", "input_schema", "policy",
        "output_schema", "time_limit", "status", "notify"]


def vanishing(attacker):
    """Callers that leave during their calls."""
    for _ in range(30):
        if attacker.is_over:
            return
        caller = attacker.connect()
        client = caller.open_client(**attacker.transport())
        for _ in range(attacker.random.randrange(1, 12)):
            match attacker.random.randrange(7):
                case 0: caller.post(client, "org.chappie.Client", "Send", "sa{sv}", [attacker.wish(do="hold"), {}])
                case 1: caller.post(client, "org.chappie.Client", "Stream", "sa{sv}",
                                    [attacker.wish(do="tiny"), {}])
                case 2: caller.post(client, "org.chappie.Threads", "Create", "a{sv}", [{}])
                case 3: caller.post(client, "org.chappie.Client", "ListModels", "a{sv}", [{}])
                case 4: caller.post(ROOT, "org.chappie.Manager", "OpenSession", "a{sv}",
                                    [options(keychain_account=f"v{attacker.random.randrange(50)}")])
                case 5: caller.post(client, "org.chappie.Client", "CompactContext", "s", [""])
                # A broadcast turn outlives its caller, up to the end of its answer.
                case 6: caller.post(client, "org.chappie.Client", "Stream", "sa{sv}",
                                    [attacker.wish(do="words"), options(broadcast=True)])
        time.sleep(attacker.random.choice([0, 0.001, 0.02]))
        caller.close()
