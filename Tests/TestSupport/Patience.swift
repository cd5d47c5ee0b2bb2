import GLibBridge

/// How long a test waits for something that should be there at once. It only matters when that never comes.
package let patience = Duration.seconds(30)

/// Something did not happen.
package struct Impatience: Error, CustomStringConvertible {
  package let description: String

  package init(_ what: String) {
    description = "waited in vain: \(what)"
  }
}

/// Whether `condition` holds before the time is over. It is looked at again and again.
@GLibActor
package func holds(
  within time: Duration = patience, _ condition: () async throws -> Bool
) async rethrows -> Bool {
  let deadline = ContinuousClock.now + time
  while true {
    if try await condition() { return true }
    guard ContinuousClock.now < deadline else { return false }
    // A test that is cancelled has no more patience.
    do { try await sleep(for: .milliseconds(5)) } catch { return false }
  }
}

/// Waits until `condition` holds.
///
/// - Throws: ``Impatience`` when it does not come to hold within ``patience``.
@GLibActor
package func eventually(
  _ what: String = "a condition", _ condition: () async throws -> Bool
) async throws {
  guard try await holds(condition) else { throw Impatience(what) }
}
