// SPDX-License-Identifier: Apache-2.0

/// `chappie doctor` names what is missing in a session, and what to do about it.
@Suite(.worlds) @GLibActor
struct DoctorTests {
  private struct Line: Decodable {
    let check: String
    let status: String
    let message: String
    let remedy: String?
  }

  private static let checks = [
    "bus", "activation", "unit", "service", "keyring", "collection", "lock", "notifications", "browser", "documents",
    "trust-store", "clock", "servers", "sign-in",
  ]

  /// The lines by their checks.
  ///
  /// - Parameters:
  ///   - status: the exit status that it must have.
  ///   - problems: the checks that must be problems, and no others.
  private func examine(
    _ world: World, _ status: Int32? = nil, problems: Set<String>? = nil, environment: [String: String] = [:],
    at location: SourceLocation = #_sourceLocation
  ) async throws -> [String: Line] {
    let output = try await world.chappie(["doctor", "--json"], environment: environment)
    let lines = try Line.lines(output.text)
    #expect(lines.map(\.check) == Self.checks, "\(output.text)", sourceLocation: location)
    let wrong = lines.filter { $0.status == "problem" }
    #expect(wrong.allSatisfy { $0.remedy != nil }, "\(wrong)", sourceLocation: location)
    if let problems { #expect(Set(wrong.map(\.check)) == problems, "\(output.text)", sourceLocation: location) }
    if let status { #expect(output.status == status, "\(output.text)", sourceLocation: location) }
    expectNothingPersonal(output.text, world)
    return Dictionary(uniqueKeysWithValues: lines.map { ($0.check, $0) })
  }

  private func expectNothingPersonal(_ text: String, _ world: World) {
    for word in ["ada@", "SANDBOXSECRET", world.directories.home.path] { #expect(!text.contains(word), "\(text)") }
  }

  // MARK: A session in which nothing is missing

  @Test func aWholeSessionHasNoProblem() async throws {
    let world = try await World.begin(.activatable)
    world.keep(try await NotificationServer(world))
    _ = try await ScreenSaver(ScreenSaver.gnome, in: world)
    let caller = try await world.caller()
    try await caller.signIn()
    let lines = try await examine(world, 0, problems: [])
    for check in Self.checks where !["browser", "documents"].contains(check) {
      #expect(lines[check]?.status == "ok", "\(check): \(lines[check]?.message ?? "")")
    }
    #expect(lines["lock"]?.message.contains(ScreenSaver.gnome) == true)
    let text = try await world.chappie("doctor").text
    #expect(text.split(separator: "\n").count == Self.checks.count)
    expectNothingPersonal(text, world)

    // What systemd says about the unit, the result, and the exit status.
    let systemd = try await FakeSystemd(world)
    for (load, active, result, status) in [
      ("loaded", "inactive", "ok", 0 as Int32), ("loaded", "active", "ok", 0), ("loaded", "failed", "problem", 5),
      ("masked", "inactive", "problem", 5), ("not-found", "inactive", "note", 0),
    ] {
      (systemd.load, systemd.active) = (load, active)
      #expect(try await examine(world, status)["unit"]?.status == result, "\(load), \(active)")
    }
  }

  @Test func theAPIOfASignInInTheBrowserIsAskedToo() async throws {
    let (world, _) = try await World.signedIn()
    _ = try await examine(world)
    #expect(try await world.sandbox.state().requests["api-models"] ?? 0 == 0)
    _ = try await world.callerSignedInInBrowser()
    try await world.sandbox.setPlanUse("limit-reached")
    _ = try await world.chappie("ask", "hi")
    let asked = try await world.sandbox.state().requests["api-models"] ?? 0
    let lines = try await examine(world)
    #expect(try await world.sandbox.state().requests["api-models"] == asked + 1)
    #expect(lines["sign-in"]?.status == "note")
    #expect(
      lines["sign-in"]?.message
        == "Somebody is signed in. The usage limit of the plan, or of this application, is reached.")
  }

  /// A failure's sentence may name files of the user.
  @Test func theHomeDirectoryIsNotShown() async throws {
    let (world, _) = try await World.signedIn()
    try FileManager.default.removeItem(at: world.directories.deviceKey)
    try FileManager.default.createDirectory(at: world.directories.deviceKey, withIntermediateDirectories: false)
    _ = try await world.chappie("ask", "hi")
    let lines = try await examine(world)
    #expect(lines["sign-in"]?.message.contains("~/.state/chappie/device-key") == true, "\(lines)")
  }

  /// A server's sentence may name the account.
  @Test func theAddressOfTheAccountIsNotShown() async throws {
    let (world, _) = try await World.signedIn(.shortTokens)
    let body = #"{"error":"invalid_request","error_description":"There is no plan for ada@example.com."}"#
    try await world.sandbox.play(#"[{"endpoint":"refresh","status":400,"body":\#(body),"times":"always"}]"#)
    let asked = try await world.chappie("ask", "hi")
    #expect(asked.text.contains("ada@example.com"), "\(asked.text)")
    let lines = try await examine(world)
    #expect(lines["sign-in"]?.message.contains("There is no plan for [address]") == true, "\(lines)")
  }

  // MARK: Broken sessions

  @Test func withoutAServiceAndWithoutABus() async throws {
    let world = try await World.begin(World.Plan(service: .none))
    let lines = try await examine(world, 5, problems: ["activation"])
    #expect(lines["activation"]?.remedy?.contains("Install chappie") == true)
    #expect(lines["collection"]?.status == "ok")
    try await world.chappie("threads", "--json").expect(5, "org.freedesktop.DBus.Error.ServiceUnknown")
    await world.bus.end()
    try await world.chappie("ask", "--json", "Hello").expect(5, "org.freedesktop.DBus.Error.NoServer")
    let noBus = try await examine(world, 5, problems: ["bus"])
    #expect(noBus["keyring"]?.status == "unchecked")
  }

  @Test func withAServiceThatDoesNotStart() async throws {
    let world = try await World.begin(World.Plan(service: .activatable, configuration: "[Lock]\nUnknown=nonsense\n"))
    let lines = try await examine(world, 5, problems: ["service"])
    #expect(
      lines["service"]?.message.hasSuffix(
        "chappie/chappie.conf: [Lock] Unknown= must be keyring or deny, not “nonsense”.") == true, "\(lines)")
  }

  @Test func withoutAKeyringAndWithoutACollection() async throws {
    let world = try await World.begin(World.Plan(keyring: .none))
    let lines = try await examine(world, 4, problems: ["keyring"])
    #expect(lines["keyring"]?.remedy?.contains("gnome-keyring-daemon") == true)
    #expect(lines["sign-in"]?.status == "unchecked")
    let uninstalled = try await examine(world, environment: ["PATH": "/nowhere"])
    #expect(uninstalled["keyring"]?.remedy == "Install one, and log in again: sudo apt install gnome-keyring")
    // The Secret Service of KDE Wallet is off.
    let bus = try await BusConnection.open(address: world.directories.busAddress)
    _ = try await bus.requestName("org.kde.kwalletd6")
    let wallet = try await examine(world)
    #expect(wallet["keyring"]?.remedy?.contains("Use KWallet for the Secret Service interface") == true)
    // A sign-in says the same.
    try await world.chappie("sign-in", "--device-code", "--no-open")
      .expect(4, "Use KWallet for the Secret Service interface")
    try await bus.releaseName("org.kde.kwalletd6")
    // A locked keyring in which nothing was ever stored has no collection.
    try await world.keyring.start(isUnlocked: false)
    let empty = try await examine(world, 4, problems: ["collection"])
    #expect(empty["keyring"]?.message == "GNOME Keyring answers.")
    #expect(empty["collection"]?.remedy?.contains("gnome-keyring-daemon --replace --unlock") == true)
  }

  @Test(.enabled(if: Programs.exist("keepassxc"))) func withALockedKeePassXC() async throws {
    let world = try await World.begin(World.Plan(keyring: .none))
    let keyring = try await KeePassXC(in: world)
    #expect(try await examine(world)["collection"]?.status == "ok")
    try await keyring.lock()
    let lines = try await examine(world, 4)
    #expect(lines["keyring"]?.message == "KeePassXC answers.")
    #expect(lines["collection"]?.remedy == "Unlock the database in KeePassXC.")
  }

  @Test func withAWrongClockAndTheBackendDown() async throws {
    let (world, _) = try await World.signedIn()
    let lines = try await examine(world, 0)
    // There is no notification server.
    #expect(lines["notifications"]?.status == "note")
    #expect(lines["notifications"]?.remedy != nil)

    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "UTC")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    for (hours, word) in [(-3, "behind"), (3, "ahead of")] {
      let date = formatter.string(from: Date(timeIntervalSinceNow: Double(-hours) * 3600))
      try await world.sandbox.play(
        #"[{"endpoint":"models","headers":{"date":"\#(date)"},"times":"always"}]"#)
      let lines = try await examine(world, 1, problems: ["clock"])
      let message = try #require(lines["clock"]?.message)
      #expect(message.contains(word), "\(message)")
      #expect(message.contains("\(abs(hours) * 60) minutes"), "\(message)")
    }

    await world.sandbox.end()
    let offline = try await examine(world, 8, problems: ["servers"])
    #expect(offline["clock"]?.status == "unchecked")
  }

  @Test func withALockedAndASilentKeyring() async throws {
    let (world, _) = try await World.signedIn()
    try await world.keyring.lock()
    let locked = try await examine(world, 4, problems: ["collection"])
    #expect(locked["collection"]?.message == "The default collection is locked.")
    try await world.keyring.unlock()
    world.keyring.freeze()
    _ = try await examine(world, 4, problems: ["keyring"])
    world.keyring.thaw()
  }

  // MARK: Without a sign-in

  @Test func withoutASignIn() async throws {
    let world = try await World.begin()
    let lines = try await examine(world, 3, problems: ["sign-in"])
    #expect(lines["sign-in"]?.remedy == "Run chappie sign-in.")
    let caller = try await world.caller()
    try await caller.signIn(at: caller.open("Session", ["keychain_account": "work"]))
    let others = try await examine(world, 0)
    #expect(others["sign-in"]?.message.contains("other accounts: 1") == true, "\(others)")
  }
}

/// The systemd of a session, with one unit.
@GLibActor
private final class FakeSystemd {
  private static let name = "org.freedesktop.systemd1"
  private static let unit = ObjectPath.named(name).appending("unit").appending("one")

  private let connection: BusConnection
  private var objects: [BusObject] = []
  /// What it says about the unit.
  var load = "loaded"
  var active = "active"

  init(_ world: World) async throws {
    connection = try await BusConnection.open(address: world.directories.busAddress)
    let manager = try BusImplementation.played(
      "\(Self.name).Manager", ["LoadUnit s -> o": { _ in .tuple(Self.unit) }])
    let unit = try BusImplementation.played(
      "\(Self.name).Unit", [:],
      [
        "LoadState s": { [unowned self] _ in self.load.variant },
        "ActiveState s": { [unowned self] _ in self.active.variant },
      ])
    objects = [
      try .played(connection, .named(Self.name), manager), try .played(connection, Self.unit, unit),
    ]
    guard try await connection.requestName(Self.name) == .owner else { throw UnmetCondition("systemd's name") }
    world.keep(self)
  }
}
