// SPDX-License-Identifier: Apache-2.0

/// Signals of an opened object reach its openers alone.
@Suite(.worlds) @GLibActor
struct OpenedObjectSignalTests {
  private static let secret = "The launch is on Tuesday."

  /// All signals of opened objects that a caller has received.
  private func receivedSignals(_ caller: Caller) -> [BusSignal] {
    caller.signals.filter { signal in
      ["client", "session"].contains { signal.path.string.hasPrefix("/org/chappie/\($0)/") }
    }
  }

  @Test func onlyTheOpenerReceivesSignalsOfAClient() async throws {
    let (world, opener) = try await World.signedIn()
    // It subscribes to everything and is known to the service.
    let other = try await world.caller()
    _ = try await other.open("Client")
    let client = try await opener.open("Client")
    try await opener.call("Client.SetHarness", ["instructions": Self.secret] as VariantDictionary, at: client)
    try await opener.call("Client.SelectModel", "gpt-5.5-mini", at: client)
    _ = try await opener.stream("hi", at: client).end()
    let thread: String = try await opener.call("Threads.Create", VariantDictionary(), at: client).member(0, "thread")
    try await opener.call("Threads.Rename", thread, "A title", at: client)

    try await opener.signal("ThreadChanged", at: client)
    #expect(try opener.wasInvalidated("Harness", of: "Client", at: client))
    #expect(!opener.signals("PropertiesChanged", at: client).contains { "\($0.arguments)".contains(Self.secret) })
    try await other.catchUp()
    #expect(receivedSignals(other).filter { $0.path == client }.isEmpty)
    #expect(!other.signals.contains { "\($0.arguments)".contains(Self.secret) })

    // A broadcast turn reaches everyone.
    let shared = try await opener.open("Client")
    let turn = try await opener.stream("hi", ["broadcast": true], at: shared)
    let completed = try await other.signal("Completed", at: shared)
    #expect(try completed.arguments.member(0, "turn") == turn.id)
  }

  /// A session sends its signals to the two callers that have it open, and to no third one.
  @Test func allOpenersOfASessionReceiveItsSignals() async throws {
    let world = try await World.begin()
    let first = try await world.caller()
    let second = try await world.caller()
    let other = try await world.caller()
    let session = try await first.open("Session", ["keychain_account": "work"])
    #expect(try await second.open("Session", ["keychain_account": "work"]) == session)
    _ = try await other.open("Session", ["keychain_account": "home"])
    try await first.signIn(at: session)
    for caller in [first, second] {
      try await caller.signal("StateChanged", at: session) {
        try $0.arguments.member(0, "state", as: String.self) == "signed-in"
      }
      try await caller.signal("PropertiesChanged", at: session)
      // Each received it once.
      let states = caller.signals("StateChanged", at: session).map { "\($0.arguments)" }
      #expect(Set(states).count == states.count)
    }
    try await other.catchUp()
    #expect(receivedSignals(other).filter { $0.path == session }.isEmpty)

    // A caller that has closed the session receives no more signals of it.
    try await second.call("Manager.Close", session)
    let before = second.signals("StateChanged", at: session).count
    try await first.call("Session.SignOut", at: session)
    try await first.signal("StateChanged", at: session) {
      try $0.arguments.member(0, "state", as: String.self) == "signed-out"
    }
    try await second.catchUp()
    #expect(second.signals("StateChanged", at: session).count == before)
  }
}
