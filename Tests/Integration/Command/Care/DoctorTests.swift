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

      // What systemd says about the unit, the result, and the exit status.
      let systemd = try await FakeSystemd(world)
      for (load, active, result, status) in [
        ("loaded", "inactive", "ok", 0 as Int32), ("loaded", "active", "ok", 0), ("loaded", "failed", "problem", 5),
        ("masked", "inactive", "problem", 5), ("not-found", "inactive", "note", 0),
      ] {
        (systemd.load, systemd.active) = (load, active)
        let (lines, found) = try await examine(world)
        #expect(lines["unit"]?.status == result, "\(lines)")
        #expect(found == status, "\(load), \(active)")
      }
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

  @Test func withoutAServiceAndWithoutABus() async throws {
    try await World.with(World.Plan(service: .none)) { world in
      let (lines, status) = try await examine(world)
      #expect(status == 5)
      #expect(problems(lines) == ["activation"])
      #expect(lines["activation"]?.remedy?.contains("Install chappie") == true)
      #expect(lines["collection"]?.status == "ok")
      await world.bus.end()
      let noBus = try await examine(world)
      #expect(noBus.status == 5)
      #expect(problems(noBus.lines) == ["bus"])
      #expect(noBus.lines["keyring"]?.status == "unchecked")
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

  @Test func withoutAKeyring() async throws {
    try await World.with(World.Plan(keyring: .none)) { world in
      let (lines, status) = try await examine(world)
      #expect(status == 4)
      #expect(problems(lines) == ["keyring"])
      #expect(lines["keyring"]?.remedy?.contains("gnome-keyring-daemon") == true)
      #expect(lines["sign-in"]?.status == "unchecked")
      let uninstalled = try await examine(world, environment: ["PATH": "/nowhere"]).lines
      #expect(uninstalled["keyring"]?.remedy == "Install one, and log in again: sudo apt install gnome-keyring")
      // The Secret Service of KDE Wallet is off.
      let bus = try await BusConnection.open(address: world.directories.busAddress)
      _ = try await bus.requestName("org.kde.kwalletd6")
      let wallet = try await examine(world).lines
      #expect(wallet["keyring"]?.remedy?.contains("Use KWallet for the Secret Service interface") == true)
      // A sign-in says the same.
      try await world.chappie("sign-in", "--device-code", "--no-open")
        .expect(4, "Use KWallet for the Secret Service interface")
      withExtendedLifetime(bus) {}
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

  @Test func withoutACollection() async throws {
    try await World.with(World.Plan(keyring: .none)) { world in
      try await world.keyring.start(isUnlocked: false)
      let (lines, status) = try await examine(world)
      #expect(status == 4)
      #expect(problems(lines) == ["collection"])
      #expect(lines["keyring"]?.message == "GNOME Keyring answers.")
      #expect(lines["collection"]?.remedy?.contains("gnome-keyring-daemon --replace --unlock") == true)
    }
  }

  @Test func withAWrongClockAndTheBackendDown() async throws {
    try await World.signedIn { world, _ in
      let (lines, status) = try await examine(world)
      #expect(status == 0)
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
        let (lines, status) = try await examine(world)
        #expect(status == 1)
        #expect(problems(lines) == ["clock"])
        let message = try #require(lines["clock"]?.message)
        #expect(message.contains(word), "\(message)")
        #expect(message.contains("\(abs(hours) * 60) minutes"), "\(message)")
      }

      await world.sandbox.end()
      let offline = try await examine(world)
      #expect(offline.status == 8)
      #expect(problems(offline.lines) == ["servers"])
      #expect(offline.lines["clock"]?.status == "unchecked")
    }
  }

  @Test func withALockedAndASilentKeyring() async throws {
    try await World.signedIn { world, _ in
      try await world.keyring.lock()
      let locked = try await examine(world)
      #expect(locked.status == 4)
      #expect(problems(locked.lines) == ["collection"])
      #expect(locked.lines["collection"]?.message == "The default collection is locked.")
      try await world.keyring.unlock()
      world.keyring.freeze()
      let silent = try await examine(world)
      world.keyring.thaw()
      #expect(silent.status == 4)
      #expect(problems(silent.lines) == ["keyring"])
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
