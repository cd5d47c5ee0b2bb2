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

  @Test func aLockIsReported() async throws {
    try await World.with { world in
      let saver = try await ScreenSaver(ScreenSaver.gnome, in: world)
      let caller = try await world.signedInCaller()
      try await world.keyring.lock()
      for (endpoint, method) in Self.questions {
        try await expectRefusal("Locked") { try await ask(method, caller) }
        #expect(try await world.sandbox.state().requests[endpoint] == 0)
      }
      try await world.keyring.unlock()
      try await caller.waitFor(Lock("unlocked", [saver.name, "keyring"]))
      for (_, method) in Self.questions { try await ask(method, caller) }
      saver.setActive(true)
      try await caller.waitFor(Lock("locked", [saver.name]))
      for (endpoint, method) in Self.questions {
        // Cached values are not shown either.
        try await expectRefusal("Locked") { try await ask(method, caller) }
        try await expectRefusal("Locked") { try await ask(method, caller, interactive: true) }
        #expect(try await world.sandbox.state().requests[endpoint] == 1)
      }
      saver.setActive(false)
      try await caller.waitFor(Lock("unlocked", [saver.name, "keyring"]))
      for (_, method) in Self.questions { try await ask(method, caller) }
    }
  }

  // MARK: The backend

  @Test func aRefusedTokenIsRefreshedOnce() async throws {
    try await World.signedIn(each: Self.questions) { world, caller, question in
      let (endpoint, method) = question
      try await world.sandbox.play(
        "[{\"endpoint\":\"\(endpoint)\",\"status\":401,\"body\":{\"detail\":\"Go away.\"},\"times\":\"always\"}]")
      let refused = try await refusal { try await ask(method, caller) }
      #expect(refused.name == "HTTPError")
      #expect(refused.message.contains("Go away."))
      var requests = try await world.sandbox.state().requests
      #expect(requests[endpoint] == 2)
      #expect(requests["refresh"] == 1)
      #expect(try await caller.state() == "signed-in")

      try await world.sandbox.forget()
      try await world.sandbox.expireAccessTokens()
      try await ask(method, caller)
      requests = try await world.sandbox.state().requests
      #expect(requests[endpoint] == 2)
      #expect(requests["refresh"] == 1)
    }
  }

  @Test func aServerErrorIsRetried() async throws {
    try await World.signedIn(each: Self.questions) { world, caller, question in
      let (endpoint, method) = question
      try await world.sandbox.play("[{\"endpoint\":\"\(endpoint)\",\"status\":503,\"times\":\"always\"}]")
      try await expectRefusal("HTTPError") { try await ask(method, caller) }
      #expect(try await world.sandbox.state().requests[endpoint] == 5)

      // Too many requests follow the backoff configuration.
      let backoff: VariantDictionary = ["max_retries": Int32(1), "initial_delay": 0.01]
      let client = try await caller.open("Client", ["rate_limit_backoff": backoff])
      try await world.sandbox.play("[{\"endpoint\":\"\(endpoint)\",\"status\":429,\"times\":\"always\"}]")
      try await expectRefusal("RateLimited") { try await ask(method, caller, at: client) }
      #expect(try await world.sandbox.state().requests[endpoint] == 7)

      try await world.sandbox.play("[{\"endpoint\":\"\(endpoint)\",\"status\":500,\"times\":2}]")
      try await ask(method, caller)
      #expect(try await world.sandbox.state().requests[endpoint] == 10)
    }
  }

  @Test func anInvalidAnswerIsAFailure() async throws {
    try await World.signedIn(each: ["", "<html>"]) { world, caller, body in
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

  @Test func aSilentBackendTimesOut() async throws {
    try await World.signedIn { world, caller in
      try await world.sandbox.play(
        #"[{"endpoint":"models","hang":true,"times":"always"},{"endpoint":"usage","hang":true,"times":"always"}]"#)
      let calls = Self.questions.map { _, method in
        Task.onGLib { try await refusal { try await ask(method, caller) } }
      }
      for call in calls {
        let refused = try await call.value
        #expect(refused.name == "Network")
        #expect(refused.message.contains("does not answer"))
      }
      let requests = try await world.sandbox.state().requests
      for (endpoint, _) in Self.questions { #expect(requests[endpoint] == 1) }
    }
  }
}
