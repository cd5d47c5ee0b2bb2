// SPDX-License-Identifier: Apache-2.0

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

/// The test that runs in this task.
enum RunningTest {
  @TaskLocal static var world: World?
  /// The case that runs, of those that share the world.
  @TaskLocal static var test: (any Sendable)?
}

extension Trait where Self == IssueHandlingTrait {
  /// Prints the logs of a world when its test fails, and names the case that fails in it.
  static var worlds: Self {
    .compactMapIssues { issue in
      RunningTest.world?.noteFailure()
      guard let test = RunningTest.test else { return issue }
      let name = Comment("In the case \(CaseFailure.name(of: test))")
      // The trait of a suite applies to its tests too.
      guard !issue.comments.contains(name) else { return issue }
      var issue = issue
      issue.comments.append(name)
      return issue
    }
  }
}

/// An error that ended a case.
struct CaseFailure: Error, CustomStringConvertible {
  let description: String

  init(_ error: any Error, in test: any Sendable) {
    description = "\(error), in the case \(Self.name(of: test))"
  }

  /// A case may have megabytes.
  static func name(of test: any Sendable) -> String { String(String(describingForTest: test).prefix(500)) }
}
