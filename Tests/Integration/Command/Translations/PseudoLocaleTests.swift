// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// The pseudo-locale finds text for people that is not marked for translation.
@Suite(.worlds) @GLibActor
struct PseudoLocaleTests {
  /// Not translated: the program and verbs, checks of the doctor, GLib's own words, whose catalogue is another, months and days.
  private static let names = [
    "chappie", "threads", "sign-in", "Usage:", "[OPTION…]", "Options:", "GNOME Keyring", "bus", "activation", "unit",
    "service", "keyring", "collection", "lock", "notifications", "browser", "documents", "trust-store", "clock",
    "servers", "default", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Jan", "Feb", "Mar", "Apr", "May", "Jun",
    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The verbs after these, as their help lists them, and those after each of them.
  private func verbs(_ world: World, after verbs: [String] = []) async throws -> [[String]] {
    let help = try await world.chappie(verbs + ["--help"]).text
    let list = help.split(separator: "\n").drop { $0 != "Commands:" }.dropFirst().prefix { $0.hasPrefix("  ") }
    var found: [[String]] = []
    for verb in list.compactMap({ $0.split(separator: " ").first }) {
      let line = verbs + [String(verb)]
      found += [line] + (try await self.verbs(world, after: line))
    }
    return found
  }

  private func expectTranslated(
    _ world: World, _ arguments: [String], input: String = "", except data: [String] = [],
    at location: SourceLocation = #_sourceLocation
  ) async throws {
    let output = try await world.chappie(arguments, input: input, environment: Catalogues.pseudo)
    let words = Catalogues.untranslatedWords(of: output.text, except: Self.names + data)
    #expect(words.isEmpty, "chappie \(arguments): \(words) in \(output.text)", sourceLocation: location)
    #expect(output.text.contains("⟦"), "chappie \(arguments): \(output.text)", sourceLocation: location)
  }

  @Test func helpIsTranslatable() async throws {
    try await Catalogues.make()
    try await World.with(.init(keyring: .none, service: .none)) { world in
      let verbs = try await verbs(world)
      #expect(verbs.contains(["sign-in"]) && verbs.contains(["threads", "export"]))
      for verb in [[]] + verbs {
        try await expectTranslated(world, verb + ["--help"], except: verbs.flatMap(\.self))
      }
    }
  }

  @Test func aMistakeIsTranslatable() async throws {
    let lines = [
      "usge", "threads lst", "ask --thread new --continue hello", "ask", "threads list --limit 0",
      "threads list --limit many", "threads show", "threads export --format pdf last", "threads export --all",
      "threads rename last", "threads search", "threads delete last", "threads show last next", "approvals approve",
      "erase",
      "context --clear --compact", "tools policy", "tools add", "tools show", "tools add --yes nwhr -- nwhr",
      "tools secret",
      "tools log a b", "status again", "threads show 0bd", "threads show last", "ask --image /nwhr.png hello",
      "ask hello", "ask --account wrk hello", "ask --image - -",
    ]
    try await Catalogues.make()
    try await World.with(each: lines) { world, line in
      try await expectTranslated(
        world, line.split(separator: " ").map(String.init),
        except: ["usge", "usage", "list", "many", "pdf", "next", "again", "last"])
    }
  }

  @Test func resultsAreTranslatable() async throws {
    try await Catalogues.make()
    try await World.with { world in
      let data = [
        "ada@example.com", "plus", "Plus", "text", "image", "low", "medium", "high", "max", "ultra", "MiB", "KiB",
        "~/.config", "~/.local/share", "~/.state", "~/.cache", "$XDG_RUNTIME_DIR",
      ]
      for line in ["status", "accounts", "usage", "threads", "doctor", "sign-in", "approvals", "tools"] {
        try await expectTranslated(world, [line], except: data)
      }
      for line in ["/help", "/context", "/nwhr", "/compact"] {
        try await expectTranslated(world, ["chat"], input: line + "\n", except: ["gpt-"])
      }
      let models = try await world.chappie("models", "--json").text.matches(of: /"(?:slug|display_name)":"([^"]*)"/)
      let names = data + models.map { String($0.1) }
      let thread = try await world.beginThread("Zrch")
      let answer = try await world.chappie("ask", "Zrch").text.split(separator: "\n").joined(separator: "\n")
      for line in [
        "status", "accounts", "usage", "models", "tools log", "context", "threads", "threads usage", "doctor",
        "threads show \(thread)", "threads export --format markdown \(thread)", "threads rename \(thread) Brn",
        "threads compact \(thread) Shrt", "threads archive \(thread)", "threads list --archived",
        "threads unarchive \(thread)", "threads search nwhr", "threads delete --yes \(thread)",
        "threads delete --yes --all", "sign-out",
        "erase --yes",
      ] {
        try await expectTranslated(
          world, line.split(separator: " ").map(String.init),
          except: names + [thread, String(thread.prefix(8)), answer])
      }
    }
  }

  /// Each reason of a failure, also where the service gives it.
  @Test func failuresAreTranslatable() async throws {
    try await Catalogues.make()
    try await World.signedIn { world, _ in
      for rule in [
        #""status":400,"body":{"detail":"N."}"#, #""status":429,"headers":{"retry-after":"0"}"#,
        #""status":429,"body":{"error":{"type":"usage_limit_reached","plan_type":"plus","resets_at":1999999999}}"#,
      ] {
        try await world.sandbox.play(#"[{"endpoint":"responses",\#(rule),"times":"always"}]"#)
        try await expectTranslated(world, ["ask", "Zrch"], except: ["Plus"])
      }
      try await world.keyring.lock()
      try await expectTranslated(world, ["ask", "Zrch"])
    }
  }

  @Test func aNotificationIsTranslatable() async throws {
    try await Catalogues.make()
    var plan = World.Plan.attended
    plan.environment = Catalogues.pseudo
    try await World.with(plan) { world in
      let server = try await NotificationServer(world)
      let caller = try await world.caller()
      _ = try await caller.startSignIn()
      let shown = try await server.notification(1)
      for text in [shown.summary, shown.body] + shown.actions.enumerated().filter({ $0.offset % 2 == 1 }).map(\.element)
      {
        #expect(Catalogues.untranslatedWords(of: text, except: []).isEmpty, "\(text)")
      }
      // Errors on the bus and the log stay in English, for programs.
      let refused = try await refusal { try await caller.send("hi") }
      #expect(refused.message == "Nobody is signed in here: sign in first.")
      #expect(world.service.process?.output.contains("⟦") == false)
    }
  }
}
