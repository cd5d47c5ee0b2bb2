import GLibBridge

/// Waits until something holds.
///
/// - Throws: ``Impatience`` when it does not come to hold for 20 seconds.
@GLibActor
func eventually(_ holds: () -> Bool) async throws {
  let end = ContinuousClock.now + .seconds(20)
  while !holds() {
    guard ContinuousClock.now < end else { throw Impatience() }
    try await sleep(for: .milliseconds(5))
  }
}

struct Impatience: Error {}
