"""Stored input: keyring items, threads, state files, and the configuration."""

import hashlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
import unicodedata
from contextlib import closing
from pathlib import Path

from bus.chappie import ROOT, options
from bus.marshal import Variant
from doors import USERS, Users
from fields import fields, has, put
from relay import clash
from seal import decrypt, encrypt, open_line, seal_line
from session import KEYRING
from stage import SERVICE, Ended, Source, shared, together
from values import SOURCE, SOURCES

ITEM = "org.freedesktop.Secret.Item"
SCHEMA, ATTRIBUTE, SECRET = "xdg:schema", "attribute", "secret"
CREDENTIAL, THREAD_KEY = "org.chappie.Credential", "org.chappie.ThreadKey"


class Keyring:
    """The items of slots, by the keyring's own interface."""

    def __init__(self, caller):
        self.caller = caller
        self.session = self.call(KEYRING[1], "Service", "OpenSession", "sv", ["plain", Variant("s", "")])[1]

    def call(self, path, interface, member, signature="", values=()):
        return self.caller.call(path, f"org.freedesktop.Secret.{interface}", member, signature, values, to=KEYRING[0])

    def paths(self, attributes):
        return self.call(KEYRING[1], "Service", "SearchItems", "a{ss}", [attributes])[0]

    def items(self, **attributes):
        """The attributes and the line of each item."""
        for path in self.paths(attributes):
            found = self.caller.call(path, "org.freedesktop.DBus.Properties", "Get", "ss", [ITEM, "Attributes"],
                                     to=KEYRING[0])[0]
            yield found, bytes(self.call(path, "Item", "GetSecret", "o", [self.session])[0][2]).decode()

    def store(self, attributes, line):
        properties = {f"{ITEM}.Attributes": Variant("a{ss}", attributes), f"{ITEM}.Label": Variant("s", "extreme")}
        self.call("/org/freedesktop/secrets/aliases/default", "Collection", "CreateItem", "a{sv}(oayays)b",
                  [properties, (self.session, [], list(line.encode()), "text/plain"), True])

    def delete(self, **attributes):
        for path in self.paths(attributes):
            self.call(path, "Item", "Delete")


def slot(attributes):
    return tuple(attributes[name] for name in ("service", "account", "access-group", "app-id"))


class Items(Source):
    """The items of the slots of a door: the attributes, and each field of what is sealed."""
    changes_items = True

    def __init__(self, stage, door, raws, plain):
        self.stage, self.door = stage, door
        self.width = USERS * stage.wire.most
        with self.users(1) as users:
            items = self.items(users, 0)
        plan = {}
        for schema, (attributes, line) in items.items():
            plan |= {(schema, ATTRIBUTE, name): [[text] for text in plain] for name in attributes if name != SCHEMA}
            secret = open_line(line, slot(attributes))
            if schema == THREAD_KEY:
                plan[schema, SECRET] = [[text.encode()] for text in plain]
            else:
                plan |= {(schema, SECRET, *path): values for path, values in fields(json.loads(secret), raws).items()}
        super().__init__(stage, f"{door} items", plan)

    def users(self, count):
        """Signed-in users with threads."""
        users = Users(self.stage, self.door, range(count))
        if not users.ready():
            # A new process has no cached answers.
            users.caller.close()
            self.stage.restart()
            users = Users(self.stage, self.door, range(count))
            users.ready()
        users.call(users.clients, "Threads", "Create", "a{sv}", [{}])
        return users

    @staticmethod
    def items(users, number):
        """A user's items by their schemas, and those of the other schemas that the source names, made like a
        credential: they are there for a moment only."""
        items = {found[SCHEMA]: (found, line) for found, line
                 in Keyring(users.caller).items(service=SERVICE, account=users.accounts[number])}
        for schema in re.findall(r'schema = "(org\.chappie\.\w+)"', SOURCE):
            if schema not in items:
                found, line = items[CREDENTIAL]
                items[schema] = ({**found, SCHEMA: schema}, line)
        return items

    def try_(self, changes):
        shares = shared(changes, self.clash, self.stage.wire.most)
        for start in range(0, len(shares), USERS):
            self.try_shares(shares[start:start + USERS])

    @staticmethod
    def clash(change, other):
        """An item with another attribute may be that of no slot."""
        places = change[0], other[0]
        return places[0][0] == places[1][0] and (any(place[1] == ATTRIBUTE for place in places) or clash(change, other))

    def try_shares(self, shares):
        """Each share in the items of one user."""
        with self.users(len(shares)) as users:
            for number, share in enumerate(shares):
                try:
                    self.change(Keyring(users.caller), self.items(users, number), share)
                except KeyError:
                    self.missed += len(share)  # This user could not sign in.
        self.stage.restart()
        with Users(self.stage, self.door, range(len(shares))) as users:
            users.states(users.sessions, "State")
            users.models()
            users.call(users.clients, "Threads", "List", "a{sv}", [{}])
            users.call(users.clients, "Threads", "Create", "a{sv}", [{}])
            users.sign_in()
            users.call(users.clients, "Threads", "DeleteAll")
            users.sign_out()
            Keyring(users.caller).delete(service=SERVICE)

    @staticmethod
    def change(keyring, items, changes):
        for schema, (attributes, line) in items.items():
            mine = {place[1:]: values for place, values in changes if place[0] == schema}
            named = {path[0]: values[0] for (part, *path), values in mine.items() if part == ATTRIBUTE}
            inner = {tuple(path): values for (part, *path), values in mine.items() if part == SECRET}
            if inner:
                secret = open_line(line, slot(attributes))
                if () in inner:
                    secret = inner[()][0]
                else:
                    document = json.loads(secret)
                    inner = {path: values for path, values in inner.items() if has(document, path)}
                    secret = put(document, inner).encode("utf-8", "surrogatepass")
                line = seal_line(line, slot(attributes), secret + b"\n" * (schema not in (CREDENTIAL, THREAD_KEY)))
            if mine:
                keyring.delete(**{SCHEMA: schema, "account": attributes["account"]})
                keyring.store(attributes | named, line)


class Threads(Source):
    """Each column of the database, and each field of what is sealed in a turn."""
    least = 2

    def __init__(self, stage, raws, plain, numbers):
        with stage.caller(20) as caller:
            self.threads = [caller.call(ROOT, "org.chappie.Threads", "Create", "a{sv}", [options(title=title)])[0]
                            for title in "abc"]
            for thread in self.threads[:2]:
                caller.call(ROOT, "org.chappie.Threads", "Send", "ssa{sv}", [thread, "use echo {}", {}])
            items = Keyring(caller).items(**{SCHEMA: THREAD_KEY, "account": "default"})
            self.key = next(open_line(line, slot(attributes)) for attributes, line in items)
        # The newest database is that of the user's own programs.
        self.file = max(Path(os.environ["XDG_DATA_HOME"]).rglob("threads.db"), key=lambda file: file.stat().st_mtime)
        values = {"INTEGER": numbers, "BLOB": [text.encode() for text in plain], "TEXT": plain}
        plan = {}
        with closing(self.database()) as database:
            for table, in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
                for _, column, kind, *_ in database.execute(f"PRAGMA table_info({table})").fetchall():
                    plan[table, column] = [[value] for value in values[kind]]
            for number, event in enumerate(self.turn(database)[1]):
                plan |= {("turns", "content", number, *path): values for path, values in fields(event, raws).items()}
        super().__init__(stage, "threads", plan)

    def database(self):
        return sqlite3.connect(self.file, isolation_level=None, timeout=10)

    def turn(self, database):
        """The context and the events of the first turn."""
        *place, content = database.execute(
            "SELECT thread, sequence, recorded_at, id, content FROM turns ORDER BY rowid LIMIT 1").fetchone()
        context = ("chappie turns\0{}\0{}\0{}\0{}".format(*place)).encode()
        return context, json.loads(decrypt(content, self.key, context))

    def try_(self, changes):
        for (table, column, *path), (value,) in changes:
            with closing(self.database()) as database:
                if path:
                    context, events = self.turn(database)
                    texts = [put(event, {tuple(path[1:]): [value]} if number == path[0] else {})
                             for number, event in enumerate(events)]
                    value = encrypt(f"[{','.join(texts)}]".encode("utf-8", "surrogatepass"), self.key, context)
                row, old = database.execute(f"SELECT rowid, {column} FROM {table} ORDER BY rowid LIMIT 1").fetchone()
                database.execute(f"UPDATE OR REPLACE {table} SET {column} = ? WHERE rowid = ?", (value, row))
                try:
                    self.use()
                finally:
                    database.execute(f"UPDATE OR REPLACE {table} SET {column} = ? WHERE rowid = ?", (old, row))

    def use(self):
        with self.stage.caller(20) as caller:
            calls = [("List", "a{sv}", [{}]), ("GetUsage", "", []), ("Get", "s", [self.threads[0]]),
                     ("Send", "ssa{sv}", [self.threads[0], "hi", {}]), ("Create", "a{sv}", [{}])]
            replies = together(caller, [(ROOT, "org.chappie.Threads", *call) for call in calls])
            if replies[-1]:
                caller.call(ROOT, "org.chappie.Threads", "Delete", "s", replies[-1])


class Files(Source):
    """The files that the service keeps, of JSON, of keys in groups, and of other text."""
    width = 16

    def __init__(self, stage, raws, plain):
        self.homes = [Path(os.environ[name], "chappie") for name in ("XDG_STATE_HOME", "XDG_RUNTIME_DIR")]
        with Users(stage, "browser", [0]) as users:
            users.ready()
            users.caller.manager("SetBackgroundUse", "ss", ["", "allow"])
        plan = {}
        for file in (file for home in self.homes for file in home.rglob("*") if file.is_file() and file.stat().st_size):
            # The bytes of a key are no text, and may begin with any character.
            content = file.read_bytes().decode(errors="replace")
            is_text = "\ufffd" not in content
            if is_text and content.startswith("{"):
                plan |= {(file, *path): values for path, values in fields(json.loads(content), raws).items()}
            elif is_text and content.startswith("["):
                plan |= {(file, line): [[text] for text in plain] for line in content.splitlines() if line}
            else:
                plan[file,] = [[text] for text in plain]
        super().__init__(stage, "files", plan)

    def try_(self, changes):
        for share in shared(changes, lambda change, other: change[0][0] == other[0][0], len(changes)):
            kept = {file: file.read_bytes() for (file, *_), _ in share if file.exists()}
            for (file, *path), values in share:
                if file in kept:
                    file.write_bytes(self.changed(kept[file], path, values).encode("utf-8", "surrogatepass"))
            try:
                self.stage.restart()
                with Users(self.stage, "browser", [0]) as users:
                    users.states(users.sessions, "State")
                    users.call(users.clients, "Client", "Send", "sa{sv}", ["hi", options(background=True)])
                    users.sign_in()
            finally:
                for file, content in kept.items():
                    file.write_bytes(content)

    @staticmethod
    def changed(content, path, values):
        if not path:
            return values[0]
        if content.startswith(b"{"):
            return put(json.loads(content), {tuple(path): values})
        line = path[0]
        if line.startswith("["):
            # Two canonically equivalent group names.
            new = f"[{values[0]}]\n[{unicodedata.normalize('NFD', values[0])}]"
        else:
            new = f"{line.partition('=')[0]}={values[0]}"
        return content.decode().replace(line, new)


class Configuration(Source):
    """Each key of the sample: the service starts, or says why not."""
    width = 4

    def __init__(self, stage, plain):
        plan, group = {}, None
        for line in (SOURCES.parent / "data/chappie.conf").read_text().splitlines():
            if match := re.fullmatch(r"\[(.*)\]", line):
                group = match[1]
            elif match := re.fullmatch(r"#(\w+)=.*", line):
                plan[group, match[1]] = plain
        super().__init__(stage, "configuration", plan)

    def try_(self, changes):
        services = []
        for (group, key), value in changes:
            home = Path(tempfile.mkdtemp(dir=os.environ["XDG_RUNTIME_DIR"]))
            (home / "chappie").mkdir()
            (home / "chappie/chappie.conf").write_text(f"[{group}]\n{key}={value}\n")
            # Without a bus, the service ends after it has read the configuration.
            environment = {**os.environ, "XDG_CONFIG_HOME": str(home), "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"}
            command = [self.stage.programs / "chappied"]
            log = self.stage.log
            services.append((home, subprocess.Popen(command, env=environment, stdout=log, stderr=log)))
        statuses = []
        for home, service in services:
            statuses.append(service.wait(30))
            shutil.rmtree(home)
        if any(status < 0 for status in statuses):
            raise Ended()


class Servers(Source):
    """The files of MCP servers, which the command reads: each line of it has to end by itself."""
    width = 8
    LINES = [["list"], ["list", "--json"], ["show", "git"], ["log"]]
    PIN = {"pins": {"git_log": {"name": "git_log", "inputSchema": {"type": "object"}}}, "program": "/usr/bin/git"}
    DIGEST = hashlib.sha256(json.dumps(PIN, separators=(",", ":"), sort_keys=True).encode()).hexdigest()
    SAMPLES = {
        "config/chappie/tools.json": {"mcpServers": {"git": {
            "command": "git", "args": ["log"], "env": {"TOKEN": "${keyring:git}"}, "cwd": "/usr/share", "chappie": {
                "network": False, "directories": ["/usr/share:ro"], "unboxed": False, "policy": "ask",
                "tools": {"git_log": "deny"}, "timeout": 60, "startTimeout": 30, "disabled": False}}}},
        "state/chappie/tools/git.json": {
            **PIN, "sha256": DIGEST, "state": "approved", "used": ["git_log"], "revision": "2025-11-25",
            "error": {"time": 1790000000, "message": "It ended."}},
        "state/chappie/tools/git.log": {
            "time": 1790000000, "tool": "git_log", "status": "completed", "ms": 12, "bytes": 2048},
    }

    def __init__(self, stage, raws):
        plan = {}
        for file, sample in self.SAMPLES.items():
            plan |= {(file, *path): values for path, values in fields(sample, raws).items()}
        super().__init__(stage, "servers", plan)

    def try_(self, changes):
        runs = []
        for (file, *path), values in changes:
            home = Path(tempfile.mkdtemp(dir=os.environ["XDG_RUNTIME_DIR"]))
            for name, sample in self.SAMPLES.items():
                (home / name).parent.mkdir(parents=True, exist_ok=True)
                text = put(sample, {tuple(path): values} if name == file else {})
                (home / name).write_bytes(text.encode("utf-8", "surrogatepass"))
            environment = {**os.environ, "XDG_CONFIG_HOME": f"{home}/config", "XDG_STATE_HOME": f"{home}/state"}
            log = self.stage.log
            runs += [(home, subprocess.Popen([self.stage.programs / "chappie", "tools", *line], env=environment,
                                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log))
                     for line in self.LINES]
        statuses = [command.wait(30) for _, command in runs]
        for home in {home for home, _ in runs}:
            shutil.rmtree(home)
        if any(status < 0 for status in statuses):
            raise Ended()
