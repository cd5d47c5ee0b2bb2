// SPDX-License-Identifier: Apache-2.0

/// The exit status and the JSON of each kind of failure.
@Suite(.worlds) @GLibActor
struct ExitStatusTests {
  private struct Failed: Decodable {
    let error: String
    let message: String
    let exitStatus: Int32
    var resetsAt: Int64?
    var plan: String?
    var status: Int?
    var partialText: String?
    var text: String?
  }

  /// Runs `chappie`, which fails, and reads its standard output.
  private func failure(_ world: World, _ line: String) async throws -> (Failed, sentence: String, status: Int32) {
    let output = try await world.shell(#""$0" \#(line) 2>sentence; status=$?; exit $status"#)
    let sentence = try String(contentsOf: world.directories.home.appending(path: "sentence"), encoding: .utf8)
    return (try Failed(snakeCase: output.text), sentence, output.status)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let status: Int32
    let error: String
    var line = "ask --json Hello"
    var rule: String?

    var testDescription: String { "\(status): \(line)" }
  }

  nonisolated static let cases = [
    Case(
      status: 6, error: "UsageLimitReached",
      rule: #""status":429,"body":{"error":{"type":"usage_limit_reached","plan_type":"plus","resets_at":1999999999}}"#),
    Case(status: 7, error: "RateLimited", rule: #""status":429,"headers":{"retry-after":"0"}"#),
    Case(status: 9, error: "HTTPError", line: "ask --json --model gpt-0 Hello"),
    Case(status: 10, error: "HTTPError", rule: #""status":400,"body":{"detail":"No."}"#),
  ]

  @Test func aFailureHasItsStatus() async throws {
    let world = try await World.begin()
    #expect(try await failure(world, "ask --json Hello").status == 3)
    let (usage, sentence, status) = try await failure(world, "usage --json")
    #expect(status == 3 && usage.exitStatus == 3)
    #expect(usage.error == "org.chappie.Error.MissingCredential")
    #expect(sentence == "chappie: Nobody is signed in: run chappie sign-in.\n")
    _ = try await world.signedInCaller()
    try await world.each(Self.cases) { failing in
      if let rule = failing.rule {
        try await world.sandbox.play(#"[{"endpoint":"responses",\#(rule),"times":"always"}]"#)
      }
      let (failed, sentence, status) = try await failure(world, failing.line)
      #expect(status == failing.status)
      #expect(failed.exitStatus == failing.status)
      #expect(failed.error == "org.chappie.Error.\(failing.error)")
      #expect(sentence == "chappie: \(failed.message)\n")
      #expect(failed.resetsAt == (failing.status == 6 ? 1_999_999_999 : nil))
      #expect(failed.plan == (failing.status == 6 ? "plus" : nil))
      #expect((failed.status != nil) == (failing.error != "UsageLimitReached"))
    }
    // The part of an interrupted answer that had arrived is not lost.
    let delta = #"{"type":"response.output_text.delta","item_id":"m","output_index":0,"delta":"Half"}"#
    let end = #"{"type":"response.failed","response":{"error":{"code":"cyber_policy","message":"Not this."}}}"#
    try await world.sandbox.play(#"[{"endpoint":"responses","events":[\#(delta),\#(end)],"times":"always"}]"#)
    let (interrupted, _, interruptedStatus) = try await failure(world, "ask --json Hello")
    #expect(interruptedStatus == 10)
    #expect(interrupted.partialText == "Half")
    #expect(interrupted.text == nil)

    try await world.keyring.lock()
    let (locked, _, lockedStatus) = try await failure(world, "ask --json Hello")
    #expect(lockedStatus == 4 && locked.error == "org.chappie.Error.Locked")
  }

  /// Nothing is known yet that could be shown instead.
  @Test func aNetworkErrorHasItsStatus() async throws {
    let (world, _) = try await World.signedIn()
    await world.sandbox.end()
    for verb in ["ask Hello", "models", "usage"] {
      let (failed, _, status) = try await failure(world, "\(verb) --json")
      #expect(status == 8 && failed.error == "org.chappie.Error.Network", "\(verb)")
    }
  }
}
