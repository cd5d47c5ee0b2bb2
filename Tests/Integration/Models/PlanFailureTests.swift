// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Failures of reading the models or the usage of the plan.
@Suite(.worlds) @GLibActor
struct PlanFailureTests {
  /// An endpoint, with the method that reads it.
  nonisolated static let questions = [("models", "ListModels"), ("usage", "GetUsageLimits")]

  @discardableResult
  private func ask(_ method: String, _ caller: Caller, at path: ObjectPath = .chappie, interactive: Bool = false)
    async throws -> Variant
  {
    method == "ListModels"
      ? try await caller.call("Client.\(method)", VariantDictionary(), at: path, interactive: interactive)
      : try await caller.call("Client.\(method)", at: path, interactive: interactive)
  }

  @Test func aSignedOutCallerIsRefused() async throws {
    try await World.with(each: Self.questions) { world, question in
      let (endpoint, method) = question
      let caller = try await world.caller()
      try await expectRefusal("MissingCredential") { try await ask(method, caller) }
      #expect(try await world.sandbox.state().requests[endpoint] == 0)
    }
  }

  @Test(arguments: questions)
  func aLockedScreenIsReported(_ endpoint: String, _ method: String) async throws {
    try await World.with { world in
      let saver = try await ScreenSaver(ScreenSaver.gnome, in: world)
      let caller = try await world.signedInCaller()
      try await ask(method, caller)
      saver.setActive(true)
      try await caller.waitFor(Lock("locked", [saver.name]))
      // Cached values are not shown either.
      try await expectRefusal("Locked") { try await ask(method, caller) }
      try await expectRefusal("Locked") { try await ask(method, caller, interactive: true) }
      #expect(try await world.sandbox.state().requests[endpoint] == 1)
      saver.setActive(false)
      try await caller.waitFor(Lock("unlocked", [saver.name, "keyring"]))
      try await ask(method, caller)
    }
  }

  @Test func aLockedKeyringIsReported() async throws {
    try await World.signedIn(each: Self.questions) { world, caller, question in
      let (endpoint, method) = question
      try await world.keyring.lock()
      try await expectRefusal("Locked") { try await ask(method, caller) }
      #expect(try await world.sandbox.state().requests[endpoint] == 0)
    }
  }

  // MARK: The backend

  @Test func aRefusedTokenIsRefreshed() async throws {
    try await World.signedIn(each: Self.questions) { world, caller, question in
      let (endpoint, method) = question
      try await world.sandbox.expireAccessTokens()
      try await ask(method, caller)
      let state = try await world.sandbox.state()
      #expect(state.requests[endpoint] == 2)
      #expect(state.requests["refresh"] == 1)
    }
  }

  @Test func aTokenIsRefreshedOnce() async throws {
    try await World.signedIn(each: Self.questions) { world, caller, question in
      let (endpoint, method) = question
      try await world.sandbox.play(
        "[{\"endpoint\":\"\(endpoint)\",\"status\":401,\"body\":{\"detail\":\"Go away.\"},\"times\":\"always\"}]")
      let refused = try await refusal { try await ask(method, caller) }
      #expect(refused.name == "HTTPError")
      #expect(refused.message.contains("Go away."))
      let state = try await world.sandbox.state()
      #expect(state.requests[endpoint] == 2)
      #expect(state.requests["refresh"] == 1)
      #expect(try await caller.state() == "signed-in")
    }
  }

  @Test func aServerErrorIsRetried() async throws {
    try await World.signedIn(each: Self.questions) { world, caller, question in
      let (endpoint, method) = question
      try await world.sandbox.play("[{\"endpoint\":\"\(endpoint)\",\"status\":500,\"times\":2}]")
      try await ask(method, caller)
      #expect(try await world.sandbox.state().requests[endpoint] == 3)
    }
  }

  @Test func repeatedServerErrorsEndTheRequest() async throws {
    try await World.signedIn(each: Self.questions) { world, caller, question in
      let (endpoint, method) = question
      try await world.sandbox.play("[{\"endpoint\":\"\(endpoint)\",\"status\":503,\"times\":\"always\"}]")
      try await expectRefusal("HTTPError") { try await ask(method, caller) }
      #expect(try await world.sandbox.state().requests[endpoint] == 5)
    }
  }

  @Test func tooManyRequestsFollowTheBackoffConfiguration() async throws {
    try await World.signedIn(each: Self.questions) { world, caller, question in
      let (endpoint, method) = question
      let backoff: VariantDictionary = ["max_retries": Int32(1), "initial_delay": 0.01]
      let client = try await caller.open("Client", ["rate_limit_backoff": backoff])
      try await world.sandbox.play("[{\"endpoint\":\"\(endpoint)\",\"status\":429,\"times\":\"always\"}]")
      try await expectRefusal("RateLimited") { try await ask(method, caller, at: client) }
      #expect(try await world.sandbox.state().requests[endpoint] == 2)
    }
  }

  @Test func anInvalidAnswerIsAFailure() async throws {
    let bodies = [
      "", "<html>", "{}", "[]", "null", "7", "{\\\"models\\\":{}}", "{\\\"models\\\":[", "{\\\"detail\\\":\\\"no\\\"}",
      "\\u0000",
    ]
    try await World.signedIn(each: bodies) { world, caller, body in
      for (endpoint, method) in Self.questions {
        try await world.sandbox.play("[{\"endpoint\":\"\(endpoint)\",\"raw\":\"\(body)\"}]")
        try await expectRefusal("HTTPError") { try await ask(method, caller) }
        // The failure is not cached.
        try await ask(method, caller)
      }
      // A valid answer is kept.
      try await world.service.restart()
    }
  }

  @Test(arguments: questions)
  func aSilentBackendTimesOut(_ endpoint: String, _ method: String) async throws {
    try await World.signedIn { world, caller in
      try await world.sandbox.play("[{\"endpoint\":\"\(endpoint)\",\"hang\":true,\"times\":\"always\"}]")
      let refused = try await refusal { try await ask(method, caller) }
      #expect(refused.name == "Network")
      #expect(refused.message.contains("does not answer"))
      #expect(try await world.sandbox.state().requests[endpoint] == 1)
    }
  }

  @Test(arguments: questions)
  func aMissingBackendIsANetworkFailure(_ endpoint: String, _ method: String) async throws {
    try await World.signedIn { world, caller in
      await world.sandbox.end()
      try await expectRefusal("Network") { try await ask(method, caller) }
      #expect(try await caller.state() == "signed-in")
    }
  }

  // MARK: Rights

  @Test func anOpenedClientIsPrivate() async throws {
    try await World.signedIn(each: Self.questions) { world, caller, question in
      let (endpoint, method) = question
      let other = try await world.caller()
      let client = try await caller.open("Client")
      try await expectRefusal("AccessDenied") { try await ask(method, other, at: client) }
      try await expectRefusal("AccessDenied") { try await other.usage(at: client) }
      try await expectRefusal("AccessDenied") { try await other.call("Client.SelectModel", "m", at: client) }
      #expect(try await world.sandbox.state().requests[endpoint] == 0)
    }
  }
}
