// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// The methods that read and change the conversation.
extension ClientObject {
  var contextMethods: [String: Handler] {
    [
      "GetContext": { [unowned self] in
        let application = await application(of: $0)
        let context = await client.context()
        return try environment.memory.reply(of: context.footprint, for: application, over: environment.connection) {
          .tuple(context.dictionary)
        }
      },
      "ClearContext": action { [unowned self] in
        try await changeContext($0) { _ in try await client.clearContext() }
      },
      "UndoTurn": action { [unowned self] in
        try await changeContext($0) { _ in try await client.undoTurn() }
      },
      "ResumeContext": action { [unowned self] in
        let context = try ChappieClientContext($0.argument(0), base: await client.context())
        try await changeContext($0, taking: 2 * context.footprint) { _ in try await client.resumeContext(context) }
        signals.compare()
      },
      "CompactContext": action { [unowned self] in try await compact($0) },
      "GetContextSize": { [client] in
        let window: UInt32 = try $0.argument(0)
        guard window > 0 else { throw BusError(.invalidArgument, "The context window must be at least 1 token.") }
        return .tuple(await client.contextSize(contextWindow: Int(window)).dictionary)
      },
    ]
  }

  private func compact(_ call: BusCall) async throws {
    let summary: String = try call.argument(0)
    try await changeContext(call, taking: MemoryBudget.callOverhead + 2 * summary.utf8.count) { lease in
      guard summary.isEmpty else {
        try Limits.check(promptBytes: summary.utf8.count)
        _ = try await client.compactContext(summary: summary)
        return
      }
      // The model writes the summary, so this counts as a turn.
      let turn = try await environment.callers.leaseTurn(call.sender)
      defer { withExtendedLifetime(turn) {} }
      _ = try await client.compactContext(interaction: call.interaction) {
        [environment] (bytes) throws(ChappieClientError) in
        try environment.memory.resize(lease, to: bytes)
      }
    }
  }

  /// Changes the conversation for a call, and counts its memory anew.
  ///
  /// - Parameter bytes: the memory that the change itself takes.
  private func changeContext(
    _ call: BusCall, taking bytes: Int = 0, _ change: (MemoryBudget.Lease) async throws -> Void
  ) async throws {
    let application = await application(of: call)
    let lease = try environment.memory.lease(bytes, for: application)
    try await change(lease)
    environment.memory.end(lease)
    countContext(for: application)
  }
}
