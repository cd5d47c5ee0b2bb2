// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import GLibBridge
import Glibc

/// The number of times that a wait takes longer because of what else runs on this machine; 1 if it is idle.
package var slowness: Double {
  var load = 0.0
  guard getloadavg(&load, 1) == 1 else { return 1 }
  return max(1, load / Double(ProcessInfo.processInfo.activeProcessorCount))
}

/// The longest wait for a condition that should hold at once. Only a failing test waits so long.
package var patience: Duration { .seconds(30) * slowness }

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
  var pause = Duration.milliseconds(5)
  while true {
    if try await condition() { return true }
    guard ContinuousClock.now < deadline else { return false }
    // A cancelled test stops waiting.
    do { try await sleep(for: pause) } catch { return false }
    // Most conditions hold soon, and each look costs time of the processor that others wait for.
    pause = min(pause * 1.5, .milliseconds(20))
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
