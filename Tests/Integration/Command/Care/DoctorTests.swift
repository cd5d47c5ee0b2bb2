// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

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

  /// The lines by their checks, and the exit status.
  private func examine(_ world: World, environment: [String: String] = [:]) async throws
    -> (lines: [String: Line], status: Int32)
  {
    let output = try await world.chappie(["doctor", "--json"], environment: environment)
    let lines = try output.text.split(separator: "\n").map {
      try JSONDecoder().decode(Line.self, from: Data($0.utf8))
    }
    #expect(lines.map(\.check) == Self.checks, "\(output.text)")
    for line in lines where line.status == "problem" { #expect(line.remedy != nil, "\(line)") }
    expectNothingPersonal(output.text, world)
    return (Dictionary(uniqueKeysWithValues: lines.map { ($0.check, $0) }), output.status)
  }

  private func expectNothingPersonal(_ text: String, _ world: World) {
    for word in ["ada@", "SANDBOXSECRET", world.directories.home.path] { #expect(!text.contains(word), "\(text)") }
  }

  private func problems(_ lines: [String: Line]) -> Set<String> {
    Set(lines.values.filter { $0.status == "problem" }.map(\.check))
  }

  // MARK: A session in which nothing is missing

  @Test func aWholeSessionHasNoProblem() async throws {
    try await World.with(.activatable) { world in
      world.keep(try await NotificationServer(world))
      _ = try await ScreenSaver(ScreenSaver.gnome, in: world)
      let caller = try await world.caller()
      try await caller.signIn()
      let (lines, status) = try await examine(world)
      #expect(status == 0)
      #expect(problems(lines).isEmpty)
      for check in Self.checks where !["browser", "documents"].contains(check) {
        #expect(lines[check]?.status == "ok", "\(check): \(lines[check]?.message ?? "")")
      }
      #expect(lines["lock"]?.message.contains(ScreenSaver.gnome) == true)
      let text = try await world.chappie("doctor").text
      #expect(text.split(separator: "\n").count == Self.checks.count)
      expectNothingPersonal(text, world)
    }
  }

  @Test func theAPIOfASignInInTheBrowserIsAskedToo() async throws {
    try await World.signedIn { world, _ in
      _ = try await examine(world)
      #expect(try await world.sandbox.state().requests["api-models"] ?? 0 == 0)
      _ = try await world.callerSignedInInBrowser()
      try await world.sandbox.setPlanUse("limit-reached")
      _ = try await world.chappie("ask", "hi")
      let asked = try await world.sandbox.state().requests["api-models"] ?? 0
      let (lines, _) = try await examine(world)
      #expect(try await world.sandbox.state().requests["api-models"] == asked + 1)
      #expect(lines["sign-in"]?.status == "note")
      #expect(
        lines["sign-in"]?.message
          == "Somebody is signed in. The usage limit of the plan, or of this application, is reached.")
    }
  }

  /// A failure's sentence may name files of the user.
  @Test func theHomeDirectoryIsNotShown() async throws {
    try await World.signedIn { world, _ in
      try FileManager.default.removeItem(at: world.directories.deviceKey)
      try FileManager.default.createDirectory(at: world.directories.deviceKey, withIntermediateDirectories: false)
      _ = try await world.chappie("ask", "hi")
      let (lines, _) = try await examine(world)
      #expect(lines["sign-in"]?.message.contains("~/.state/chappie/device-key") == true, "\(lines)")
    }
  }

  /// A server's sentence may name the account.
  @Test func theAddressOfTheAccountIsNotShown() async throws {
    try await World.signedIn(.shortTokens) { world, _ in
      let body = #"{"error":"invalid_request","error_description":"There is no plan for ada@example.com."}"#
      try await world.sandbox.play(#"[{"endpoint":"refresh","status":400,"body":\#(body),"times":"always"}]"#)
      let asked = try await world.chappie("ask", "hi")
      #expect(asked.text.contains("ada@example.com"), "\(asked.text)")
      let (lines, _) = try await examine(world)
      #expect(lines["sign-in"]?.message.contains("There is no plan for [address]") == true, "\(lines)")
    }
  }

  // MARK: Broken sessions

  @Test func withoutABus() async throws {
    try await World.with(World.Plan(service: .none)) { world in
      await world.bus.end()
      let (lines, status) = try await examine(world)
      #expect(status == 5)
      #expect(problems(lines) == ["bus"])
      #expect(lines["keyring"]?.status == "unchecked")
    }
  }

  @Test func withoutAService() async throws {
    try await World.with(World.Plan(service: .none)) { world in
      let (lines, status) = try await examine(world)
      #expect(status == 5)
      #expect(problems(lines) == ["activation"])
      #expect(lines["activation"]?.remedy?.contains("Install chappie") == true)
      #expect(lines["collection"]?.status == "ok")
    }
  }

  @Test func withAServiceThatDoesNotStart() async throws {
    try await World.with(World.Plan(service: .activatable, configuration: "[Lock]\nUnknown=nonsense\n")) { world in
      let (lines, status) = try await examine(world)
      #expect(status == 5)
      #expect(problems(lines) == ["service"])
      #expect(
        lines["service"]?.message.hasSuffix(
          "chappie/chappie.conf: [Lock] Unknown= must be keyring or deny, not “nonsense”.") == true, "\(lines)")
    }
  }

  /// What systemd says about the unit, the result, and the exit status.
  nonisolated static let units = [
    ("loaded", "inactive", "ok", Int32(0)), ("loaded", "active", "ok", 0), ("loaded", "failed", "problem", 5),
    ("masked", "inactive", "problem", 5), ("not-found", "inactive", "note", 0),
  ]

  @Test func theUnitIsChecked() async throws {
    try await World.with(.activatable) { world in
      let systemd = try await FakeSystemd(world)
      _ = try await world.signedInCaller()
      try await world.each(Self.units) { load, active, result, status in
        (systemd.load, systemd.active) = (load, active)
        let (lines, found) = try await examine(world)
        #expect(lines["unit"]?.status == result, "\(lines)")
        #expect(found == status)
      }
    }
  }

  @Test func withoutAKeyring() async throws {
    try await World.with(World.Plan(keyring: .none)) { world in
      let (lines, status) = try await examine(world)
      #expect(status == 4)
      #expect(problems(lines) == ["keyring"])
      #expect(lines["keyring"]?.remedy?.contains("gnome-keyring-daemon") == true)
      #expect(lines["sign-in"]?.status == "unchecked")
    }
  }

  @Test func withoutAnInstalledKeyring() async throws {
    try await World.with(World.Plan(keyring: .none)) { world in
      let (lines, _) = try await examine(world, environment: ["PATH": "/nowhere"])
      #expect(lines["keyring"]?.remedy == "Install one, and log in again: sudo apt install gnome-keyring")
    }
  }

  @Test(.enabled(if: Programs.exist("keepassxc"))) func withALockedKeePassXC() async throws {
    try await World.with(World.Plan(keyring: .none)) { world in
      let keyring = try await KeePassXC(in: world, confirmsAccess: false)
      #expect(try await examine(world).lines["collection"]?.status == "ok")
      try await keyring.lock()
      let (lines, status) = try await examine(world)
      #expect(status == 4)
      #expect(lines["keyring"]?.message == "KeePassXC answers.")
      #expect(lines["collection"]?.remedy == "Unlock the database in KeePassXC.")
    }
  }

  @Test func withAKDEWalletWhoseSecretServiceIsOff() async throws {
    try await World.with(World.Plan(keyring: .none)) { world in
      let bus = try await BusConnection.open(address: world.directories.busAddress)
      _ = try await bus.requestName("org.kde.kwalletd6")
      let (lines, _) = try await examine(world)
      #expect(lines["keyring"]?.remedy?.contains("Use KWallet for the Secret Service interface") == true)
      // A sign-in says the same.
      let signIn = try await world.chappie("sign-in", "--device-code", "--no-open")
      #expect(signIn.status == 4)
      #expect(signIn.text.contains("Use KWallet for the Secret Service interface"), "\(signIn.text)")
      withExtendedLifetime(bus) {}
    }
  }

  @Test func withoutACollection() async throws {
    try await World.with(World.Plan(keyring: .none)) { world in
      try await world.keyring.start(isUnlocked: false)
      let (lines, status) = try await examine(world)
      #expect(status == 4)
      #expect(problems(lines) == ["collection"])
      #expect(lines["keyring"]?.message == "GNOME Keyring answers.")
      #expect(lines["collection"]?.remedy?.contains("gnome-keyring-daemon --replace --unlock") == true)
      // With a display the keyring can ask.
      let desktop = try await examine(world, environment: ["WAYLAND_DISPLAY": "none"])
      #expect(desktop.lines["collection"]?.remedy?.contains("Run chappie sign-in") == true)
    }
  }

  @Test func withALockedKeyring() async throws {
    try await World.signedIn { world, _ in
      try await world.keyring.lock()
      let (lines, status) = try await examine(world)
      #expect(status == 4)
      #expect(problems(lines) == ["collection"])
      #expect(lines["collection"]?.message == "The default collection is locked.")
    }
  }

  @Test func withASilentKeyring() async throws {
    try await World.signedIn { world, _ in
      world.keyring.freeze()
      let (lines, status) = try await examine(world)
      world.keyring.thaw()
      #expect(status == 4)
      #expect(problems(lines) == ["keyring"])
    }
  }

  @Test func withoutANotificationServer() async throws {
    try await World.signedIn { world, _ in
      let (lines, status) = try await examine(world)
      #expect(status == 0)
      #expect(lines["notifications"]?.status == "note")
      #expect(lines["notifications"]?.remedy != nil)
    }
  }

  @Test(arguments: [(-3, "behind"), (3, "ahead of")])
  func withAWrongClock(_ hours: Int, _ word: String) async throws {
    try await World.signedIn { world, _ in
      let formatter = DateFormatter()
      formatter.locale = Locale(identifier: "en_US_POSIX")
      formatter.timeZone = TimeZone(identifier: "UTC")
      formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
      let date = formatter.string(from: Date(timeIntervalSinceNow: Double(-hours) * 3600))
      try await world.sandbox.play(
        #"[{"endpoint":"models","headers":{"date":"\#(date)"},"times":"always"}]"#)
      let (lines, status) = try await examine(world)
      #expect(status == 1)
      #expect(problems(lines) == ["clock"])
      let message = try #require(lines["clock"]?.message)
      #expect(message.contains(word), "\(message)")
      #expect(message.contains("\(abs(hours) * 60) minutes"), "\(message)")
    }
  }

  @Test func withTheBackendDown() async throws {
    try await World.signedIn { world, _ in
      await world.sandbox.end()
      let (lines, status) = try await examine(world)
      #expect(status == 8)
      #expect(problems(lines) == ["servers"])
      #expect(lines["clock"]?.status == "unchecked")
    }
  }

  @Test func withAnUntrustedCertificate() async throws {
    try await World.with(World.Plan(service: .none)) { world in
      let network = try await TLSNetwork(world)
      // Nobody has added its authority to the trust store.
      world.service.environment.merge(network.environment) { $1 }
      try await world.service.start(network.addresses)
      let (lines, status) = try await examine(world)
      #expect(status == 8)
      #expect(problems(lines) == ["trust-store", "servers", "sign-in"])
      #expect(lines["trust-store"]?.message.contains("sign-in.chappie.test") == true)
    }
  }

  // MARK: Without a sign-in

  @Test func withoutASignIn() async throws {
    try await World.with { world in
      let (lines, status) = try await examine(world)
      #expect(status == 3)
      #expect(problems(lines) == ["sign-in"])
      #expect(lines["sign-in"]?.remedy == "Run chappie sign-in.")
      let caller = try await world.caller()
      try await caller.signIn(at: caller.open("Session", ["keychain_account": "work"]))
      let others = try await examine(world)
      #expect(others.status == 0)
      #expect(others.lines["sign-in"]?.message.contains("other accounts: 1") == true, "\(others.lines)")
    }
  }
}
