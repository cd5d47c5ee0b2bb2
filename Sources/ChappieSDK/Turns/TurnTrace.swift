// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// How a turn went, for the log: nothing of what was said.
@GLibActor
package final class TurnTrace {
  private let start = ContinuousClock.now
  private var firstDelta: Duration?
  private var deltas = 0
  private var requests = 0
  private var transport: Retries.Transport?
  private var model = ""

  nonisolated package init() {}

  /// Notes that a request is sent; one that is sent again counts again.
  func noteRequest(to model: String, over transport: Retries.Transport) {
    requests += 1
    self.model = model
    self.transport = transport
  }

  func noteDelta() {
    deltas += 1
    if firstDelta == nil { firstDelta = .now - start }
  }

  /// Writes how the turn `id` of `caller` has ended.
  package func log(_ id: String, of caller: String, _ end: some LogValue) {
    guard Log.isDebugging else { return }
    let time = ContinuousClock.now - start
    guard let transport else {
      return Log.debug("Turn \(name: id) of \(name: caller) \(end) after \(time), before its first request.")
    }
    guard let firstDelta else {
      return Log.debug(
        """
        Turn \(name: id) of \(name: caller) \(end) after \(time): \(name: model) over \(transport), \
        \(requests) requests, no delta.
        """)
    }
    Log.debug(
      """
      Turn \(name: id) of \(name: caller) \(end) after \(time): \(name: model) over \(transport), \
      \(requests) requests, \(deltas) deltas, the first after \(firstDelta).
      """)
  }
}
