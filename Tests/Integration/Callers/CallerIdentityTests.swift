import Foundation
import GLibBridge
import Testing

/// Who calls is found out from what the kernel says of the caller, and decides what it may use.
@Suite(.worlds, .enabled(if: AppSandbox.obstacle == nil, Comment(rawValue: AppSandbox.obstacle ?? "")))
@GLibActor
struct CallerIdentityTests {
  private static let app = "org.example.App"
  private static let widget = "org.example.Widget"
  private static let state = "org.freedesktop.DBus.Properties.Get"

  // MARK: Sandboxed apps

  @Test func anAppHasOnlyWhatItOpens() async throws {
    try await World.with { world in
      let outside = try await world.signedInCaller()
      let account = try await outside.open("Session", ["keychain_account": "work"])
      try await outside.signIn(at: account)
      let app = try await world.caller(app: Self.app)
      #expect(try await app.property("Manager.Version", as: UInt32.self) == 1)
      for path in [ObjectPath.chappie, .chappie.appending("account").appending("work"), account] {
        let refused = try await refusal { try await app.state(at: path) }
        #expect(refused.name == "AccessDenied")
        #expect(refused.message.contains(Self.app))
        #expect(refused.message.contains("OpenSession or OpenClient"))
        #expect(try await refusal { try await app.call("Session.SignOut", at: path) }.name == "AccessDenied")
      }
      #expect(try await refusal { try await app.send("hi") }.name == "AccessDenied")
      #expect(try await refusal { try await app.stream("hi") }.name == "AccessDenied")
      let objects = try await refusal {
        try await app.connection.call(
          "org.chappie", .chappie, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
      }
      #expect(objects.name == "AccessDenied")

      // What it opens is its own: it has the names of the user's account, and not its credential.
      let session = try await app.open("Session")
      #expect(try await app.state(at: session) == "signed-out")
      let client = try await app.open("Client")
      #expect(try await app.property("Client.Session", at: client) == session)
      #expect(try await refusal { try await app.send("hi", at: client) }.name == "MissingCredential")
      try await app.signIn(at: session)
      #expect(try await app.send("hi", at: client).contains("hi"))
      try await app.call("Manager.Close", client)
      try await app.call("Manager.Close", session)
      #expect(try await outside.state() == "signed-in")
    }
  }

  @Test func eachAppHasItsOwnItem() async throws {
    try await World.with { world in
      let outside = try await world.signedInCaller()
      let app = try await world.caller(app: Self.app)
      let session = try await app.open("Session")
      try await app.signIn(at: session)
      let widget = try await world.caller(app: Self.widget)
      let other = try await widget.open("Session")
      #expect(other != session)
      #expect(try await widget.state(at: other) == "signed-out")
      try await widget.signIn(at: other)

      let items = try await world.keyring.items()
      #expect(items.map { $0.attributes["app-id"] ?? "" }.sorted() == ["", Self.app, Self.widget])
      #expect(Set(items.map { $0.attributes["account"] }) == ["default"])
      #expect(Set(items.map(\.secret)).count == 3)

      try await widget.call("Session.SignOut", at: other)
      #expect(try await widget.state(at: other) == "signed-out")
      #expect(try await app.state(at: session) == "signed-in")
      try await app.call("Session.SignOut", at: session)
      #expect(try await outside.send("hi").contains("hi"))
      #expect(try await world.keyring.items().map { $0.attributes["app-id"] } == [""])
    }
  }

  /// The seal of an item names its slot: whoever can write to the keyring cannot hand one app's item to another.
  @Test func anItemOfAnotherAppIsOfNoUse() async throws {
    try await World.with { world in
      let app = try await world.caller(app: Self.app)
      let session = try await app.open("Session")
      try await app.signIn(at: session)
      let line = try #require(try await world.keyring.items().first).secret
      let outside = try await world.signedInCaller()
      #expect(try await world.keyring.items().count == 2)
      try await app.call("Session.SignOut", at: session)
      try await world.keyring.changeSecret(of: "default") { _ in String(decoding: line, as: UTF8.self) }
      try await world.service.restart()
      #expect(try await outside.state() == "signed-out")
      #expect(try await outside.lastError().text("message")?.contains("damaged") == true)
    }
  }

  @Test func whatAnAppOpensIsForItsConnectionAlone() async throws {
    try await World.with { world in
      let outside = try await world.caller()
      let app = try await world.caller(app: Self.app)
      let session = try await app.open("Session")
      let client = try await app.open("Client")
      let widget = try await world.caller(app: Self.widget)
      // The paths are easy to guess.
      #expect(try await refusal { try await widget.state(at: session) }.name == "AccessDenied")
      #expect(try await refusal { try await widget.send("hi", at: client) }.name == "AccessDenied")
      #expect(try await refusal { try await widget.call("Manager.Close", session) }.name == "InvalidArgument")
      #expect(try await widget.open("Session") != session)
      #expect(try await refusal { try await outside.state(at: session) }.name == "AccessDenied")
      #expect(try await refusal { try await outside.send("hi", at: client) }.name == "AccessDenied")
      #expect(try await outside.open("Session") != session)
      // The same app, started again: the same configuration and rights.
      let again = try await world.caller(app: Self.app)
      #expect(try await refusal { try await again.state(at: session) }.name == "AccessDenied")
      #expect(try await again.open("Session") == session)
      #expect(try await again.state(at: session) == "signed-out")
      #expect(try await app.state(at: session) == "signed-out")
    }
  }

  /// Only root can make a sandbox without a user namespace.
  @Test(arguments: geteuid() == 0 ? [false, true] : [false])
  func anAppMayCallTheBusItself(_ sharesUserNamespace: Bool) async throws {
    try await World.with { world in
      _ = try await world.signedInCaller()
      var sandbox = try AppSandbox(app: Self.app, in: world.directories)
      sandbox.sharesUserNamespace = sharesUserNamespace
      let version = try await sandbox.gdbus(Self.state, "org.chappie.Manager", "Version")
      #expect(version.text == "(<uint32 1>,)\n")
      let state = try await sandbox.gdbus(Self.state, "org.chappie.Session", "State")
      #expect(state.status == 1)
      #expect(state.text.contains("org.chappie.Error.AccessDenied: \(Self.app) runs in a sandbox"))
      let session = try await sandbox.gdbus("org.chappie.Manager.OpenSession", "{}")
      #expect(session.text.hasPrefix("(objectpath '/org/chappie/session/"))
    }
  }

  // MARK: Programs outside

  /// What a caller says of itself does not count: its environment, its home, the directory that it is in.
  @Test func aProgramThatCallsItselfAnAppIsNone() async throws {
    try await World.with { world in
      _ = try await world.signedInCaller()
      let home = world.directories.home
      let info = AppSandbox.info(app: Self.app, instance: "1")
      try info.write(to: home.appending(path: ".flatpak-info"), atomically: true, encoding: .utf8)
      let call = "gdbus call --session --dest org.chappie --object-path /org/chappie --method \(Self.state)"
      let script = """
        cd \(home.path)
        export FLATPAK_ID=\(Self.app) SNAP=/snap/example/1 SNAP_NAME=example SNAP_INSTANCE_NAME=example container=flatpak
        \(call) org.chappie.Session State
        exec -a snap.example.app \(call) org.chappie.Session State
        """
      #expect(try await world.run("bash", "-c", script).text == "(<'signed-in'>,)\n(<'signed-in'>,)\n")
    }
  }

  // MARK: Marks that are none

  /// Flatpak writes the mark twice, and an app can reach neither copy. A sandbox where one alone is there was made by
  /// somebody else, and might have let its app write the mark.
  @Test func aMarkThatFlatpakDidNotWriteIsNone() async throws {
    try await World.with { world in
      _ = try await world.signedInCaller()
      let directories = world.directories
      let info = AppSandbox.info(app: Self.app, instance: "app-1")
      try AppSandbox.record(info, instance: "app-1", in: directories)
      let marks: [(AppSandbox.Mark, reason: String)] = [
        (.file(AppSandbox.info(app: Self.widget, instance: "app-1")), "did not write"),
        (.file(AppSandbox.info(app: Self.app, instance: "app-2")), "did not write"),
        (.file(AppSandbox.info(app: Self.app, instance: "../app-1")), "names no instance"),
        (.file(AppSandbox.info(app: "../../etc", instance: "app-1")), "names no app"),
        (.file("[Application]\n"), "names no app"),
        (.file("nonsense"), "no key file"),
        (.file(info + String(repeating: "#", count: 1 << 17)), "has more than"),
        (.link("\(directories.runtime.path)/.flatpak/app-1/info"), "not a regular file"),
        (.none, "user namespace"),
      ]
      for (mark, reason) in marks {
        let sandbox = AppSandbox(mark, in: directories)
        for call in [
          try await sandbox.gdbus(Self.state, "org.chappie.Session", "State"),
          try await sandbox.gdbus("org.chappie.Manager.OpenSession", "{}"),
        ] {
          #expect(call.status == 1)
          #expect(call.text.contains("org.chappie.Error.AccessDenied: This service cannot tell which program calls"))
          #expect(call.text.contains(reason), "\(call.text)")
        }
        // What everybody may know.
        let version = try await sandbox.gdbus(Self.state, "org.chappie.Manager", "Version")
        #expect(version.text == "(<uint32 1>,)\n")
      }
      // The right one, so that it is not something else that was refused.
      let right = try await AppSandbox(.file(info), in: directories).gdbus("org.chappie.Manager.OpenSession", "{}")
      #expect(right.status == 0)
    }
  }

  /// A process that can get a user namespace can give itself another root directory, with or without a mark.
  @Test func aCallerInAnotherUserNamespaceIsNotKnown() async throws {
    try await World.with { world in
      _ = try await world.signedInCaller()
      let arguments = ["--user", "--map-current-user", "gdbus", "call", "--session", "--dest", "org.chappie"]
      let method = ["--object-path", "/org/chappie", "--method"]
      let state = try await Output.of(
        "unshare", arguments + method + [Self.state, "org.chappie.Session", "State"], in: world.directories)
      #expect(state.status == 1)
      #expect(state.text.contains("org.chappie.Error.AccessDenied"))
      #expect(state.text.contains("user namespace of its own"))
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root changes the root directory without a user namespace"))
  func aCallerInAChrootIsNotKnown() async throws {
    try await World.with { world in
      _ = try await world.signedInCaller()
      var sandbox = AppSandbox(.none, in: world.directories)
      sandbox.sharesUserNamespace = true
      let state = try await sandbox.gdbus(Self.state, "org.chappie.Session", "State")
      #expect(state.status == 1)
      #expect(state.text.contains("root directory of its own"))
    }
  }

  // MARK: Callers that cannot be looked into

  /// As password managers and programs with file capabilities are.
  @Test func aCallerThatForbidsDumpingIsNotKnown() async throws {
    try await World.with(World.Plan(service: .none)) { world in
      // What root's programs may look into is not closed to them: here they are as an ordinary user's.
      let plain = (geteuid() == 0 ? ["--bounding-set", "-sys_ptrace"] : []) + ["--"]
      world.adopt(
        try ChildProcess(
          "chappied", "setpriv", plain + [Binaries.chappied] + world.sandbox.addresses, in: world.directories))
      let bus = try await BusConnection.open(address: world.directories.busAddress)
      try await eventually("the service") { try await bus.owner(of: "org.chappie") != nil }
      let gdbus = ["gdbus", "call", "--session", "--dest", "org.chappie", "--object-path", "/org/chappie", "--method"]
      let open = try await Output.of(
        "setpriv", plain + gdbus + [Self.state, "org.chappie.Session", "State"], in: world.directories)
      #expect(open.text == "(<'signed-out'>,)\n")
      let calls = try await Output.of(
        "setpriv", plain + ["python3", "-c", Self.nonDumpableCaller], in: world.directories)
      let lines = calls.text.split(separator: "\n")
      #expect(lines.count == 3)
      #expect(lines.first == "(<uint32 1>,)")
      for line in lines.dropFirst() {
        #expect(line.contains("org.chappie.Error.AccessDenied: This service cannot tell which program calls"))
        #expect(line.contains("forbid dumping"))
      }
    }
  }

  /// Forbids that others look into it, then reads a property of the manager, one of the session, and opens a client.
  private static let nonDumpableCaller = """
    import ctypes
    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
    gio = ctypes.CDLL("libgio-2.0.so.0")
    for name in ["g_bus_get_sync", "g_variant_new_parsed", "g_dbus_connection_call_sync"]:
        getattr(gio, name).restype = ctypes.c_void_p
    gio.g_variant_print.restype = ctypes.c_char_p
    bus = ctypes.c_void_p(gio.g_bus_get_sync(2, None, None))
    def call(interface, method, arguments):
        error = ctypes.POINTER(ctypes.c_char_p)()
        reply = gio.g_dbus_connection_call_sync(
            bus, b"org.chappie", b"/org/chappie", interface, method,
            ctypes.c_void_p(gio.g_variant_new_parsed(arguments)), None, 0, 20000, None, ctypes.byref(error))
        print((gio.g_variant_print(ctypes.c_void_p(reply), True) if reply else error[1]).decode())
    call(b"org.freedesktop.DBus.Properties", b"Get", b"('org.chappie.Manager', 'Version')")
    call(b"org.freedesktop.DBus.Properties", b"Get", b"('org.chappie.Session', 'State')")
    call(b"org.chappie.Manager", b"OpenClient", b"(@a{sv} {},)")
    """

  /// Its process number may be another's by the time that it is looked at: then nothing is done.
  @Test(arguments: [true, false])
  func aCallerThatHasLeftGetsNothing(_ isSandboxed: Bool) async throws {
    try await World.with { world in
      let caller = try await world.signedInCaller()
      let service = try await caller.connection.processID(of: "org.chappie")
      let arguments = ["--session", "--type=method_call", "--dest=org.chappie", "/org/chappie"]
      kill(service, SIGSTOP)
      defer { kill(service, SIGCONT) }
      if isSandboxed {
        _ = try await AppSandbox(app: Self.app, in: world.directories)
          .run("dbus-send", arguments[0], arguments[1], arguments[2], arguments[3], "org.chappie.Session.SignOut")
      } else {
        _ = try await Output.of("dbus-send", arguments + ["org.chappie.Session.SignOut"], in: world.directories)
      }
      kill(service, SIGCONT)
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await caller.state() == "signed-in")
      #expect(try await world.keyring.items().count == 1)
    }
  }

  // MARK: Once

  /// A caller's process is asked for at its first call, and not at the thousand others.
  @Test func aCallerIsLookedAtOnce() async throws {
    try await World.with { world in
      let caller = try await world.signedInCaller()
      let other = try await world.caller()
      let capture = try await BusCapture(world.directories)
      for _ in 0..<20 { _ = try await caller.state() }
      _ = try await caller.send("hi")
      async let first = other.state()
      async let second = other.state()
      _ = try await (first, second)
      try await capture.end()
      let asked = try capture.occurrences(of: "GetConnectionCredentials")
      #expect(asked == 1)
    }
  }
}
