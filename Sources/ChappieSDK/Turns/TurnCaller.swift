// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The input of a turn.
package enum TurnInput: Sendable {
  /// The next message of the transcript.
  case next(ChappieInputMessage)
  /// The caller's own transcript. It replaces the client's.
  case replay(ChappieResponseRequest)
  /// The caller's own transcript. The client does not keep it, and the turn does not wait for others of the client.
  case alone(ChappieResponseRequest)
  /// As ``alone(_:)``, and once it is answered the client's transcript begins anew with it.
  case first(ChappieResponseRequest)
}

/// The caller that a turn runs for.
package struct TurnCaller {
  /// Whether a locked keyring may ask the user for the password.
  let interaction: UserInteraction
  private(set) var tools: ToolSet
  let trace: TurnTrace
  /// Receives each event except the end, as soon as it is read. The result says when reading goes on.
  private(set) var deliver: @GLibActor (ChappieStreamEvent) -> FlowControl
  /// Receives the number of bytes that the turn holds in memory. Throws if that exceeds the budget.
  let hold: TurnSize.Hold
  /// Receives the entries of a record of the turn.
  private(set) var record: @GLibActor (TurnRecord) -> Void = { _ in }

  package init(
    interaction: UserInteraction,
    tools: ToolSet = ToolSet(),
    trace: TurnTrace = TurnTrace(),
    hold: @escaping @GLibActor (Int) throws(ChappieClientError) -> Void = { (_) throws(ChappieClientError) in },
    deliver: @escaping @GLibActor (ChappieStreamEvent) -> FlowControl
  ) {
    self.interaction = interaction
    self.tools = tools
    self.trace = trace
    self.hold = hold
    self.deliver = deliver
  }

  /// This caller, with more tools. A name that it has already stays as it was.
  package func adding(_ more: [ToolSet.Tool]) -> TurnCaller {
    var caller = self
    let known = Set(tools.tools.map(\.manifest.name))
    let new = more.filter { !known.contains($0.manifest.name) }
    caller.tools = ToolSet(tools.tools + new, approvalPatience: tools.approvalPatience, approve: tools.approve)
    return caller
  }

  /// This caller, with a record of its turn.
  package func recorded(by record: @escaping @GLibActor (TurnRecord) -> Void) -> TurnCaller {
    var caller = self
    caller.record = record
    caller.deliver = { [deliver] event in
      record(.event(event))
      return deliver(event)
    }
    return caller
  }
}

/// An entry in the record of a turn.
package enum TurnRecord {
  case event(ChappieStreamEvent)
  /// The model's output items of one round, unchanged.
  case items([ChappieJSONValue])
  /// The turn has failed after this part of the answer's text.
  case failure(after: String)
  /// This summary replaced the conversation before it.
  case compaction(summary: String)
}

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
