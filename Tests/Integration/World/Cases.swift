// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Cases that do not affect each other, in one world: a world for each would cost more than the case.
extension World {
  /// Runs `body` for each case.
  ///
  /// Each finds the stand-in without rules and sockets, and with no requests counted. What else it changes, such as
  /// sign-ins, registrations and offered models, it has to undo. A failure names its case. An error ends the test, because the next case might only find what this one left.
  func each<Case: Sendable>(
    _ cases: some Sequence<Case>, _ body: @GLibActor (Case) async throws -> Void
  ) async throws {
    for test in cases {
      try await RunningTest.$test.withValue(test) {
        do {
          try await sandbox.forget()
          try await body(test)
        } catch let error as ExpectationFailedError {
          // It was recorded with its case.
          throw error
        } catch {
          throw CaseFailure(error, in: test)
        }
      }
    }
  }

  /// Runs `body` for each case in one world.
  static func with<Case: Sendable>(
    _ plan: Plan = Plan(), each cases: some Sequence<Case>, _ body: @GLibActor (World, Case) async throws -> Void
  ) async throws {
    try await with(plan) { world in try await world.each(cases) { try await body(world, $0) } }
  }

  /// Runs `body` for each case in one world, with a program whose default account is signed in.
  static func signedIn<Case: Sendable>(
    _ plan: Plan = Plan(), each cases: some Sequence<Case>,
    _ body: @GLibActor (World, Caller, Case) async throws -> Void
  ) async throws {
    try await signedIn(plan) { world, caller in try await world.each(cases) { try await body(world, caller, $0) } }
  }
}
