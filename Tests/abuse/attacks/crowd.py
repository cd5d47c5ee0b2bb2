"""Resource exhaustion with callers, objects, turns, prompts and threads."""

import os
import select
import signal
import time

from bus.chappie import HTTP_ONLY, ROOT, options
from bus.connection import BUS, INTERACTIVE
from bus.marshal import Variant

CLIENT, SESSION = "org.chappie.Client", "org.chappie.Session"
# The number of concurrent calls of one program.
AT_ONCE = 16000
# The threads that an app may create, with a margin: at once, and then each second.
MOST_THREADS, THREADS_A_SECOND = 100, 2

# The sign-ins that an app may start, with a margin: at once, and then each second.
MOST_SIGN_INS, SIGN_INS_A_SECOND = 20, 1
MOST_RETRIES = 10
# The files that tell of changed slots: one for each slot with a credential.
MOST_LOCK_FILES = 20


def flood(attacker, callers, post, depth):
    """Keeps `depth` calls of each caller in progress, and reads the replies."""
    waiting = dict.fromkeys(callers, 0)
    while not attacker.is_over:
        for caller in callers:
            for _ in range(depth - waiting[caller]):
                post(caller)
            waiting[caller] = depth
        readable, _, _ = select.select([caller.socket for caller in callers], [], [], min(0.1, attacker.left))
        for caller in callers:
            if caller.socket in readable:
                waiting[caller] -= caller.take_replies()


def get_all(attacker):
    address = attacker.address()
    callers = [attacker.connect(address=address) for _ in range(attacker.known(32, attacker.random.choice([1, 4])))]
    depth = attacker.sizes(1, AT_ONCE / len(callers))
    interfaces = ["org.chappie.Client", "org.chappie.Session", "org.chappie.Manager"]
    manages = attacker.random.random() < 0.2

    def post(caller):
        if manages:
            return caller.post(ROOT, BUS + ".ObjectManager", "GetManagedObjects")
        return caller.post(ROOT, BUS + ".Properties", "GetAll", "s", [attacker.random.choice(interfaces)])

    flood(attacker, callers, post, attacker.known(AT_ONCE // len(callers), depth))


def introspect(attacker):
    address = attacker.address()
    callers = [attacker.connect(address=address) for _ in range(attacker.known(32, attacker.random.choice([1, 4])))]
    depth = attacker.sizes(1, AT_ONCE / len(callers))

    def post(caller):
        path = attacker.random.choice(["/", "/org", ROOT, ROOT + "/account", ROOT + "/client", ROOT + "/nobody"])
        return caller.post(path, BUS + ".Introspectable", "Introspect")

    flood(attacker, callers, post, attacker.known(AT_ONCE // len(callers), depth))


def clients(attacker):
    """The greatest number of clients of each caller, for many callers."""
    address = attacker.address()
    callers = [attacker.connect(address=address) for _ in range(attacker.known(100, attacker.random.choice([1, 20])))]
    for caller in callers:
        for index in range(attacker.known(64, attacker.random.choice([65, 200]))):
            if attacker.is_over:
                break
            member = "OpenSession" if attacker.random.random() < 0.2 else "OpenClient"
            account = options(keychain_account=f"a{attacker.random.randrange(1000)}") if index % 2 else {}
            caller.post(ROOT, "org.chappie.Manager", member, "a{sv}", [account])
    for caller in callers:
        attacker.attempt(caller.call, ROOT, BUS + ".Peer", "Ping", seconds=attacker.left)
    for caller in callers:
        caller.close()


def held_turns(attacker):
    """Turns whose answers begin and do not go on, more than there are connections for."""
    address = attacker.address()
    transport = attacker.known(HTTP_ONLY, attacker.transport())
    callers = [attacker.connect(address=address) for _ in range(attacker.known(4, attacker.random.choice([1, 16])))]
    for caller in callers:
        opened = [caller.post(ROOT, "org.chappie.Manager", "OpenClient", "a{sv}", [options(**transport)])
                  for _ in range(64)]
        for serial in opened:
            if reply := attacker.attempt(caller.reply, serial):
                caller.post(reply.body[0], CLIENT, "Stream", "sa{sv}", [attacker.wish(do="hold"), {}])
    while not attacker.is_over:
        for caller in callers:
            attacker.attempt(caller.receive, min(0.05, attacker.left))
    for caller in callers:
        caller.close()


def greedy(attacker):
    """A program with the greatest number of clients, all of them waiting for answers."""
    with attacker.connect(sandboxed=False) as caller:
        opened = [caller.post(ROOT, "org.chappie.Manager", "OpenClient", "a{sv}", [{}]) for _ in range(100)]
        for serial in opened:
            if reply := attacker.attempt(caller.reply, serial):
                caller.post(reply.body[0], CLIENT, "Stream", "sa{sv}", [attacker.wish(do="hold"), {}])
        while not attacker.is_over:
            attacker.attempt(caller.receive, min(0.1, attacker.left))


def programs(attacker):
    """Many programs, each of them an application of its own."""
    children = []
    try:
        for _ in range(attacker.known(12, attacker.random.randrange(2, 24))):
            child = os.fork()
            if child == 0:
                try:
                    greedy(attacker)
                finally:
                    os._exit(0)
            children.append(child)
        greedy(attacker)
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def connections(attacker):
    """More callers than the default number of descriptors of a process."""
    address = attacker.address()
    callers = []
    for _ in range(attacker.known(1200, attacker.sizes(10, 2000))):
        if attacker.is_over:
            break
        caller = attacker.connect(address=address)
        callers.append(caller)
        serial = caller.post(ROOT, "org.chappie.Manager", "OpenClient", "a{sv}", [{}])
        if attacker.random.random() < 0.3 and (reply := attacker.attempt(caller.reply, serial)):
            caller.post(reply.body[0], CLIENT, "Stream", "sa{sv}", [attacker.wish(do="hold"), {}])
    for caller in callers:
        caller.close()


def descriptors(attacker):
    """Messages with descriptors, which the receiver has to close."""
    caller = attacker.connect(sandboxed=False)
    pipes = [end for _ in range(8) for end in os.pipe()]
    for _ in range(2000):
        if attacker.is_over:
            break
        carried = pipes[:attacker.random.randrange(1, 16)]
        if attacker.random.random() < 0.5:
            caller.post(ROOT, CLIENT, "Send", "sa{sv}", ["", {"x": Variant("ah", list(range(len(carried))))}],
                        descriptors=carried)
        else:
            caller.post(ROOT, CLIENT, "GetTurn", "h", [0], descriptors=carried)
        if attacker.random.random() < 0.02:
            attacker.attempt(caller.call, ROOT, BUS + ".Peer", "Ping")
    for end in pipes:
        os.close(end)
    attacker.attempt(caller.call, ROOT, BUS + ".Peer", "Ping")
    caller.close()


def prompts(attacker):
    """Calls that allow the keyring to ask its user, as fast as possible."""
    caller = attacker.connect(sandboxed=True)
    serials = []
    for _ in range(40):
        if attacker.is_over:
            return
        account = attacker.random.choice(["default", f"p{attacker.random.randrange(100)}"])
        client = attacker.attempt(caller.open_client, keychain_account=account)
        if not client:
            break
        serials.append(attacker.random.choice([
            lambda: caller.post(client, CLIENT, "Send", "sa{sv}", ["hi", {}], flags=INTERACTIVE),
            lambda: caller.post(client, CLIENT, "ListModels", "a{sv}", [{}], flags=INTERACTIVE),
            lambda: caller.post(client, "org.chappie.Threads", "Create", "a{sv}", [{}], flags=INTERACTIVE),
        ])())
    for serial in serials:
        attacker.attempt(caller.reply, serial, min(2, attacker.left))
    caller.close()


def threads(attacker):
    """An app that creates threads as fast as possible."""
    address = attacker.address(sandboxed=True)
    caller = attacker.connect(address=address)
    client = caller.open_client()
    made = []
    depth = attacker.known(200, attacker.random.choice([1, 16]))
    for _ in range(20):
        serials = [caller.post(client, "org.chappie.Threads", "Create", "a{sv}",
                               [options(title="t" * attacker.random.choice([1, 1024, 5000]))]) for _ in range(depth)]
        new = [reply.body[0] for serial in serials if (reply := attacker.attempt(caller.reply, serial))]
        made += new
        attacker.threads[address] += len(new)
        if attacker.apps and attacker.threads[address] > MOST_THREADS + THREADS_A_SECOND * attacker.age:
            attacker.complain(f"an app made {attacker.threads[address]} threads within {attacker.age:.1f} s")
        if attacker.is_over:
            break
        member, values = attacker.random.choice([
            ("List", ("a{sv}", [{}])), ("GetUsage", ("", [])), ("DeleteAll", ("", [])),
            ("Rename", ("ss", [made[-1] if made else "x", "w" * 1000])), ("Get", ("s", [made[0] if made else "x"]))])
        attacker.attempt(caller.call, client, "org.chappie.Threads", member, *values)
    attacker.attempt(caller.call, client, "org.chappie.Threads", "DeleteAll")
    caller.close()


def sign_ins(attacker):
    """An app that starts sign-ins for new accounts, closes their objects or leaves, and signs out of others."""
    address = attacker.address(sandboxed=True)
    with attacker.connect(address=address) as caller:
        accounts = [f"s{attacker.random.getrandbits(40):x}" for _ in range(attacker.known(60, attacker.sizes(1, 60)))]
        opened = [caller.post(ROOT, "org.chappie.Manager", "OpenSession", "a{sv}", [options(keychain_account=account)])
                  for account in accounts]
        sessions = [reply.body[0] for serial in opened if (reply := attacker.attempt(caller.reply, serial))]
        started = []
        for session in sessions:
            member = attacker.random.choice(["StartBrowserSignIn", "StartDeviceCodeSignIn", "SignOut"])
            if member == "SignOut":
                caller.post(session, SESSION, member)
            else:
                wishes = options(open=False, notify=attacker.random.random() < 0.5)
                started.append(caller.post(session, SESSION, member, "a{sv}", [wishes]))
        attacker.sign_ins[address] += len([serial for serial in started if attacker.attempt(caller.reply, serial)])
        for session in sessions[::attacker.random.choice([1, 2])]:
            caller.post(ROOT, "org.chappie.Manager", "Close", "o", [session])
        attacker.attempt(caller.call, ROOT, BUS + ".Peer", "Ping")
    if attacker.apps and attacker.sign_ins[address] > MOST_SIGN_INS + SIGN_INS_A_SECOND * attacker.age:
        attacker.complain(f"an app started {attacker.sign_ins[address]} sign-ins within {attacker.age:.1f} s")
    files = list((attacker.folder / "chappie").glob("*.lock"))
    if len(files) > MOST_LOCK_FILES:
        attacker.complain(f"there are {len(files)} lock files")


def retries(attacker):
    """Turns that the backend refuses, of an app that wants to ask again at once and without end."""
    count = attacker.folder / f"refused-{attacker.random.getrandbits(64):x}"
    greedy = options(max_retries=Variant("i", 2 ** 31 - 1), initial_delay=0.0, maximum_delay=0.0,
                     respects_retry_after_header=False)
    turns = attacker.known(20, attacker.sizes(1, 60))
    after = attacker.known(60, attacker.random.choice([0, 1, 60]))
    with attacker.connect(sandboxed=True) as caller:
        opened = [caller.post(ROOT, "org.chappie.Manager", "OpenClient", "a{sv}",
                              [options(rate_limit_backoff=Variant("a{sv}", greedy)) | HTTP_ONLY]) for _ in range(turns)]
        for serial in opened:
            if reply := attacker.attempt(caller.reply, serial):
                wish = attacker.wish(do="slow_down", after=after, count=str(count))
                caller.post(reply.body[0], CLIENT, "Stream", "sa{sv}", [wish, {}])
        end = attacker.known(attacker.deadline, min(attacker.deadline, time.monotonic() + 8))
        while time.monotonic() < end:
            attacker.attempt(caller.receive, min(0.1, attacker.left))
    requests = count.stat().st_size if count.exists() else 0
    if requests > turns * (1 if after == 60 else MOST_RETRIES + 1):
        attacker.complain(f"{turns} turns caused {requests} requests, with a delay of {after} s after each")


def matches(attacker):
    """Callers that subscribe to everything during many signals."""
    listeners = [attacker.connect(sandboxed=False) for _ in range(8)]
    for listener in listeners:
        for index in range(100):
            listener.post("/org/freedesktop/DBus", BUS, "AddMatch", "s",
                          [f"type='signal',sender='org.chappie',arg0='{index}'"], to=BUS)
        listener.match("type='signal',sender='org.chappie'")
    with attacker.connect(sandboxed=False) as caller:
        client = caller.open_client(**attacker.transport())
        for _ in range(20):
            if attacker.is_over:
                break
            caller.post(client, CLIENT, "Stream", "sa{sv}",
                        [attacker.wish(do="answer", bytes=attacker.sizes(1000, 4 << 20), piece=64),
                         options(broadcast=True)])
            caller.post(ROOT, CLIENT, "SelectModel", "s", [f"m{attacker.random.randrange(10)}"])
            for listener in [caller, *listeners]:
                attacker.attempt(listener.receive, min(0.02, attacker.left))
        caller.post(ROOT, CLIENT, "SelectModel", "s", ["gpt-6-sol"])
    for listener in listeners:
        listener.close()
