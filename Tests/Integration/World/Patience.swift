import GLibBridge

/// How long a test waits for something that should be there at once. It only matters when that never comes.
let patience = Duration.seconds(30)

/// Something did not happen.
struct Impatience: Error, CustomStringConvertible {
  let description: String

  init(_ what: String) {
    description = "waited in vain: \(what)"
  }
}

/// Whether `condition` holds before the time is over. It is looked at again and again.
@GLibActor
func holds(within time: Duration = patience, _ condition: () async throws -> Bool) async rethrows -> Bool {
  let deadline = ContinuousClock.now + time
  while true {
    if try await condition() { return true }
    guard ContinuousClock.now < deadline else { return false }
    // A test that is cancelled has no more patience.
    do { try await sleep(for: .milliseconds(10)) } catch { return false }
  }
}

/// Waits until `condition` holds.
@GLibActor
func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
  guard try await holds(condition) else { throw Impatience(what) }
}
