import GLibBridge

/// The longest wait for a condition that should hold at once. Only a failing test waits so long.
package let patience = Duration.seconds(30)

/// A condition that did not hold in time.
package struct UnmetCondition: Error, CustomStringConvertible {
  package let description: String

  package init(_ what: String) {
    description = "did not happen in time: \(what)"
  }
}

/// Whether `condition` holds within the time. It is evaluated repeatedly.
@GLibActor
package func holds(
  within time: Duration = patience, _ condition: () async throws -> Bool
) async rethrows -> Bool {
  let deadline = ContinuousClock.now + time
  while true {
    if try await condition() { return true }
    guard ContinuousClock.now < deadline else { return false }
    // A cancelled test stops waiting.
    do { try await sleep(for: .milliseconds(5)) } catch { return false }
  }
}

/// Waits until `condition` holds.
///
/// - Throws: ``UnmetCondition`` when it does not hold within ``patience``.
@GLibActor
package func eventually(
  _ what: String = "a condition", _ condition: () async throws -> Bool
) async throws {
  guard try await holds(condition) else { throw UnmetCondition(what) }
}
