// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// A program that reads a property of the service repeatedly while others keep it busy.
@GLibActor
final class Bystander {
  /// The longest wait that a test accepts: a debug build beside other tests takes many times as long as a release
  /// build.
  static var patience: Duration { .seconds(4) * slowness }

  private let caller: Caller
  private var reading: Task<Duration, any Error>?
  private var hasEnough = false
  private(set) var reads = 0

  init(_ caller: Caller) {
    self.caller = caller
    reading = Task.onGLib { try await longestWait() }
  }

  private func longestWait() async throws -> Duration {
    let clock = ContinuousClock()
    var longest = Duration.zero
    while !hasEnough {
      let start = clock.now
      _ = try await caller.property("Manager.Version", as: UInt32.self)
      longest = max(longest, clock.now - start)
      reads += 1
      try await sleep(for: .milliseconds(5))
    }
    return longest
  }

  /// Waits for `count` further reads.
  func read(_ count: Int) async throws {
    let goal = reads + count
    try await eventually("\(count) reads of a property") { reads >= goal }
  }

  /// The longest wait for a reply.
  func end() async throws -> Duration {
    hasEnough = true
    return try await reading?.value ?? .zero
  }
}
