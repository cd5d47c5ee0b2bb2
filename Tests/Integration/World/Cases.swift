// SPDX-License-Identifier: Apache-2.0
import Synchronization

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
    let world = try await begin(plan)
    try await world.each(cases) { try await body(world, $0) }
  }

  /// Runs `body` for each case in one world, with a program whose default account is signed in.
  static func signedIn<Case: Sendable>(
    _ plan: Plan = Plan(), each cases: some Sequence<Case>,
    _ body: @GLibActor (World, Caller, Case) async throws -> Void
  ) async throws {
    let (world, caller) = try await signedIn(plan)
    try await world.each(cases) { try await body(world, caller, $0) }
  }
}

/// The test that runs in this task.
enum RunningTest {
  @TaskLocal static var worlds: Worlds?
  /// The case that runs, of those that share the world.
  @TaskLocal static var test: (any Sendable)?
}

/// The worlds of a test.
@GLibActor
final class Worlds {
  private var begun: [(world: World, time: ContinuousClock.Instant)] = []
  private let failure = Mutex(false)
  nonisolated var hasFailed: Bool { failure.withLock { $0 } }

  nonisolated func noteFailure() { failure.withLock { $0 = true } }

  /// Starts a world. One that waits for minutes and does little needs no place.
  func add(_ plan: World.Plan, _ world: () throws -> World) async throws -> World {
    if !plan.isLong { await WorldGate.shared.enter() }
    do {
      begun.append((try world(), .now))
    } catch {
      if !plan.isLong { WorldGate.shared.leave() }
      throw error
    }
    let world = begun[begun.count - 1].world
    try await world.start()
    return world
  }

  /// Runs `body`, and ends the worlds, also when it throws or is cancelled.
  func end(after body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch {
      noteFailure()
      await end()
      throw error
    }
    await end()
  }

  private func end() async {
    // A cancelled test must clean up too.
    await Task { @GLibActor in
      for (world, time) in begun {
        await world.end()
        if !world.plan.isLong { WorldGate.shared.leave() }
        // The time that a test reports includes its wait for a place.
        print("took \(ContinuousClock.now - time): \(Test.current?.name ?? "")")
      }
      begun = []
    }.value
  }
}

/// Ends the worlds of a test, prints their logs when it fails, and names the case that fails in them.
struct WorldsTrait: TestTrait, SuiteTrait, TestScoping {
  let isRecursive = true

  @concurrent func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    let worlds = Worlds()
    let issues = IssueHandlingTrait.compactMapIssues { issue in
      worlds.noteFailure()
      guard let test = RunningTest.test else { return issue }
      var issue = issue
      issue.comments.append("In the case \(CaseFailure.name(of: test))")
      return issue
    }
    try await RunningTest.$worlds.withValue(worlds) {
      try await issues.provideScope(for: test, testCase: testCase) { try await worlds.end(after: function) }
    }
  }
}

extension Trait where Self == WorldsTrait {
  static var worlds: Self { Self() }
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
