// SPDX-License-Identifier: Apache-2.0

/// The keyring asks the user for its password only where a caller's message allows that, and never over a locked
/// screen.
@Suite(.worlds) @GLibActor
struct InteractiveUnlockTests {
  /// A request that needs the keyring.
  enum Request: CaseIterable {
    case send
    case stream
    case signIn
    case signOut

    /// The name of the error that the request ends with; nil for success.
    @GLibActor
    func failure(_ caller: Caller, interactive: Bool = true, timeout: Duration = patience) async throws -> String? {
      let options = VariantDictionary()
      do {
        switch self {
        case .send:
          try await caller.call("Client.Send", "hi", options, interactive: interactive, timeout: timeout)
        case .stream:
          if case .failed(let error, _, _) = try await turn(caller, interactive: interactive).end() {
            return error.replacing("org.chappie.Error.", with: "")
          }
        case .signIn:
          try await caller.call(
            "Session.StartDeviceCodeSignIn", options, interactive: interactive, timeout: timeout)
          try await caller.waitFor("linked", "Session.DeviceLinkState")
        case .signOut:
          try await caller.call("Session.SignOut", interactive: interactive, timeout: timeout)
        }
        return nil
      } catch let error as GLibError {
        return ErrorReply(error).name
      }
    }

    @GLibActor
    func turn(_ caller: Caller, interactive: Bool) async throws -> Turn {
      let id = try await caller.call("Client.Stream", "hi", VariantDictionary(), interactive: interactive)
      return Turn(id: try id.member(0, "turn"), path: .chappie, caller: caller)
    }
  }

  /// A signed-in caller whose keyring has been locked since.
  private func begin(isLong: Bool = false) async throws -> (World, FakeKeyring, Caller) {
    var plan = World.Plan.fakeKeyring
    plan.isLong = isLong
    let world = try await World.begin(plan)
    let keyring = try await FakeKeyring(in: world)
    let caller = try await world.signedInCaller()
    keyring.setLocked(true)
    try await caller.waitFor(Lock("locked", ["keyring"]))
    return (world, keyring, caller)
  }

  // MARK: Asking

  @Test func theUserIsAskedOnlyWithTheFlag() async throws {
    let (world, keyring, caller) = try await begin()
    try await world.each(Request.allCases) { request in
      keyring.setLocked(true)
      try await caller.waitFor(Lock("locked", ["keyring"]))
      let questions = keyring.questions
      #expect(try await request.failure(caller, interactive: false) == "Locked")
      #expect(keyring.questions == questions)
      #expect(keyring.isLocked)
      #expect(try await caller.state() == "signed-in")

      #expect(try await request.failure(caller) == nil)
      #expect(keyring.questions == questions + 1)
      #expect(try await caller.state() == (request == .signOut ? "signed-out" : "signed-in"))
      // The list of sign-ins to end goes when the server has revoked the old one.
      try await eventually("the items") { keyring.items.count == (request == .signOut ? 0 : 1) }
    }
  }

  @Test func aDismissedPromptIsReportedAsLocked() async throws {
    let (world, keyring, caller) = try await begin()
    keyring.user = .dismisses
    #expect(try await Request.send.failure(caller) == "Locked")
    #expect(keyring.questions == 1)
    #expect(try await caller.state() == "signed-in")
    #expect(try await caller.lastError().text("name") == "org.chappie.Error.Locked")
    #expect(try await world.sandbox.state().requests["responses"] == 0)
    // The same program may not ask again at once, and the error says why; another program may.
    keyring.user = .consents
    for request in Request.allCases {
      #expect(try await request.failure(world.caller()) == "Locked", "\(request), over another connection")
    }
    let refused = try await refusal {
      try await caller.call("Client.Send", "hi", VariantDictionary(), interactive: true)
    }
    #expect(refused.message.contains("refused a moment ago"))
    #expect(keyring.questions == 1)
    #expect(try await Request.signOut.failure(world.otherProgram()) == nil)
    #expect(keyring.questions == 2)
  }

  @Test func theUserIsNotAskedOverALockedScreen() async throws {
    let (world, keyring, caller) = try await begin()
    let saver = try await ScreenSaver(ScreenSaver.gnome, in: world, isActive: true)
    try await caller.waitFor(Lock("locked", [saver.name, "keyring"]))
    for request in Request.allCases {
      #expect(try await request.failure(caller) == "Locked", "\(request)")
      // A service that has just started and knows nothing of the screen does not ask either.
      try await world.service.restart()
      #expect(try await request.failure(caller) == "Locked", "\(request)")
    }
    #expect(keyring.questions == 0)
    #expect(try await caller.state() == "signed-in")
    saver.setActive(false)
    try await caller.waitFor(Lock("locked", ["keyring"]))
    #expect(try await Request.send.failure(caller) == nil)
    #expect(keyring.questions == 1)
  }

  /// KeePassXC asks the user before it gives an item to a program, even when the database is unlocked.
  @Test func theUserIsAskedForOneItem() async throws {
    let (world, keyring, caller) = try await begin()
    keyring.setLocked(false)
    try await caller.waitFor(Lock("unknown", ["keyring"]))
    keyring.items.first?.isLocked = true
    #expect(try await Request.send.failure(caller, interactive: false) == "Locked")
    #expect(keyring.questions == 0)
    keyring.user = .dismisses
    #expect(try await Request.send.failure(caller) == "Locked")
    #expect(try await caller.state() == "signed-in")
    keyring.user = .consents
    #expect(try await Request.send.failure(world.otherProgram()) == nil)
    #expect(try await Request.send.failure(caller, interactive: false) == nil)
    #expect(keyring.questions == 2)
  }

  // MARK: Prompts without an answer

  /// Other callers are answered, and one that would ask waits for the open prompt. A caller that stops waiting closes
  /// its prompt.
  @Test func aPromptDelaysNoOtherCaller() async throws {
    let (world, keyring, caller) = try await begin()
    keyring.user = .isAway
    let turn = try await Request.stream.turn(caller, interactive: true)
    try await eventually("the prompt") { keyring.questions == 1 }
    let asking = try await world.otherProgram()
    async let failure = Request.send.failure(asking)
    let other = try await world.caller()
    for request in Request.allCases { #expect(try await request.failure(other, interactive: false) == "Locked") }
    #expect(try await other.state() == "signed-in")
    let session = try await other.open("Session", ["keychain_account": "work"])
    #expect(try await other.property("Session.DeviceLinkState", at: session) == "idle")
    #expect(try await turn.snapshot().status == "running")
    try await asking.catchUp()
    #expect(keyring.questions == 1)

    keyring.user = .consents
    try await turn.cancel()
    #expect(try await turn.end().failure.name == "Cancelled")
    try await eventually("the end of the prompt") { keyring.dismissals == 1 }
    #expect(try await failure == nil)
    #expect(keyring.questions == 2)
  }

  @Test func aPromptClosesWhenItsCallerLeavesOrItsSignInEnds() async throws {
    let (world, keyring, caller) = try await begin()
    keyring.user = .isAway
    do {
      let leaving = try await Caller(world.directories.busAddress)
      _ = try await Request.stream.turn(leaving, interactive: true)
      try await eventually("the prompt") { keyring.questions == 1 }
    }
    try await eventually("the end of the prompt") { keyring.dismissals == 1 }
    let other = try await world.otherProgram()
    async let failure = Request.signIn.failure(other)
    try await eventually("the prompt") { keyring.questions == 2 }
    try await caller.call("Session.CancelSignIn")
    #expect(try await failure == "Cancelled")
    try await eventually("the end of the prompt") { keyring.dismissals == 2 }
    #expect(try await caller.state() == "signed-in")
    keyring.user = .consents
    #expect(try await Request.send.failure(world.otherProgram()) == nil)
  }

  /// The keyring's program crashes while it asks.
  @Test(arguments: [Request.stream, .signIn])
  func aCrashedPromptIsAFailure(_ request: Request) async throws {
    let (_, keyring, caller) = try await begin()
    keyring.user = .seesACrash
    let failure = try #require(try await request.failure(caller))
    #expect(["Locked", "KeyringUnavailable"].contains(failure), "\(failure)")
    #expect(try await caller.state() == "signed-in")
    keyring.user = .consents
    try await keyring.comeBack()
    #expect(try await request.failure(caller) == nil)
  }

  /// The user has two minutes, for all callers that wait for the same prompt.
  @Test func anUnansweredPromptTimesOut() async throws {
    let (world, keyring, caller) = try await begin(isLong: true)
    keyring.user = .isAway
    async let sent = Request.send.failure(caller, timeout: .seconds(180))
    async let signedIn = Request.signIn.failure(caller, timeout: .seconds(180))
    let failures = try await [sent, signedIn]
    #expect(failures.compactMap(\.self).sorted() == ["KeyringUnavailable", "Locked"])
    #expect(keyring.questions == 1)
    #expect(keyring.dismissals == 1)
    #expect(try await caller.state() == "signed-in")
    keyring.user = .consents
    #expect(try await Request.send.failure(world.otherProgram()) == nil)
  }
}
