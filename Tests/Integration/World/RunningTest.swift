// SPDX-License-Identifier: Apache-2.0
import Testing

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
