// SPDX-License-Identifier: Apache-2.0

/// The kernel's facts about a caller identify it, and its identity decides its rights.
@Suite(.worlds, .sandboxes) @GLibActor
struct CallerIdentityTests {
  private static let app = "org.example.App"
  private static let widget = "org.example.Widget"
  private static let state = "org.freedesktop.DBus.Properties.Get"

  // MARK: Programs outside sandboxes

  /// A caller's own claims do not count: its environment, its home, its working directory.
  @Test func aProgramThatClaimsToBeAnAppIsNotTreatedAsOne() async throws {
    let (world, _) = try await World.signedIn()
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

  // MARK: Invalid marks

  /// Flatpak writes the mark twice, and an app can reach neither copy. Where only one copy exists, another program
  /// built the sandbox and may have let its app write the mark.
  @Test func aMarkThatFlatpakDidNotWriteIsIgnored() async throws {
    let (world, _) = try await World.signedIn()
    let directories = world.directories
    let info = AppSandbox.info(app: Self.app, instance: "app-1")
    try AppSandbox.record(info, instance: "app-1", in: directories)
    let marks: [(AppSandbox.Mark, reason: String)] = [
      (.file(AppSandbox.info(app: Self.widget, instance: "app-1")), "did not write"),
      (.file(AppSandbox.info(app: Self.app, instance: "app-2")), "did not write"),
      (.file("nonsense"), "no key file"),
      (.file(info + String(repeating: "#", count: 1 << 17)), "has more than"),
      (.link("\(directories.runtime.path)/.flatpak/app-1/info"), "symbolic link"),
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
      // Every caller may read the version and the lock state.
      let version = try await sandbox.gdbus(Self.state, "org.chappie.Manager", "Version")
      #expect(version.text == "(<uint32 1>,)\n")
      let lock = try await sandbox.gdbus(Self.state, "org.chappie.Manager", "LockState")
      #expect(lock.text == "(<'unknown'>,)\n")
    }
    // The valid mark works, so the refusals above come from the mark alone.
    let right = try await AppSandbox(.file(info), in: directories).gdbus("org.chappie.Manager.OpenSession", "{}")
    #expect(right.status == 0)
  }

  /// A process that can get a user namespace can give itself another root directory, with or without a mark.
  @Test func aCallerInAnotherUserNamespaceIsNotIdentified() async throws {
    let (world, _) = try await World.signedIn()
    let state = try await world.run(
      "unshare", "--user", "--map-current-user", "gdbus", "call", "--session", "-d", "org.chappie", "-o",
      "/org/chappie", "-m", Self.state, "org.chappie.Session", "State")
    #expect(state.status == 1)
    #expect(state.text.contains("org.chappie.Error.AccessDenied"))
    #expect(state.text.contains("user namespace of its own"))
  }

  @Test(.enabled(if: geteuid() == 0, "only root changes the root directory without a user namespace"))
  func aCallerInAChrootIsNotIdentified() async throws {
    let (world, _) = try await World.signedIn()
    var sandbox = AppSandbox(.none, in: world.directories)
    sandbox.sharesUserNamespace = true
    let state = try await sandbox.gdbus(Self.state, "org.chappie.Session", "State")
    #expect(state.status == 1)
    #expect(state.text.contains("root directory of its own"))
  }

  // MARK: Callers that cannot be inspected

  /// Password managers and programs with file capabilities forbid dumping.
  @Test func aCallerThatForbidsDumpingIsNotIdentified() async throws {
    let world = try await World.begin(World.Plan(service: .none))
    // Root's programs can inspect any process, so this one runs as an ordinary user.
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

  /// Forbids dumping, then reads a property of the manager and one of the session, and opens a client.
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

  /// Another process may have taken its process id by the time of the inspection: then the service does nothing.
  @Test func theServiceDoesNothingForACallerThatHasLeft() async throws {
    try await World.signedIn(each: [true, false]) { world, caller, isSandboxed in
      let service = try await caller.connection.processID(of: "org.chappie")
      kill(service, SIGSTOP)
      defer { kill(service, SIGCONT) }
      let call = "dbus-send --session --type=method_call --dest=org.chappie /org/chappie org.chappie.Session.SignOut"
      let app = try AppSandbox(app: Self.app, in: world.directories)
      _ = isSandboxed ? try await app.run("sh", "-c", call) : try await world.run("sh", "-c", call)
      kill(service, SIGCONT)
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await caller.state() == "signed-in")
      #expect(try await world.keyring.items().count == 1)
    }
  }
}
