// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// The methods that read and change the conversation.
extension ClientObject {
  var contextMethods: [String: BusImplementation.Method] {
    [
      "GetContext": { [unowned self] in
        let application = await environment.callers.application(of: $0.sender)
        let context = await client.context()
        return try environment.memory.reply(of: context.footprint, for: application, over: environment.connection) {
          .tuple(context.dictionary)
        }
      },
      "ClearContext": { [unowned self] in
        let application = await environment.callers.application(of: $0.sender)
        try await client.clearContext()
        countContext(for: application)
        return .tuple()
      },
      "UndoTurn": { [unowned self] in
        let application = await environment.callers.application(of: $0.sender)
        try await client.undoTurn()
        countContext(for: application)
        return .tuple()
      },
      "ResumeContext": { [unowned self] in
        let application = await environment.callers.application(of: $0.sender)
        let context = try ChappieClientContext($0.argument(0), base: await client.context())
        let lease = try environment.memory.lease(2 * context.footprint, for: application)
        try await client.resumeContext(context)
        environment.memory.end(lease)
        countContext(for: application)
        tellModel()
        return .tuple()
      },
      "CompactContext": { [unowned self] in
        let summary: String = try $0.argument(0)
        let application = await environment.callers.application(of: $0.sender)
        let lease = try environment.memory.lease(MemoryBudget.callOverhead + 2 * summary.utf8.count, for: application)
        if summary.isEmpty {
          // The model writes the summary, so this counts as a turn.
          let turn = try await environment.callers.leaseTurn($0.sender)
          defer { withExtendedLifetime(turn) {} }
          _ = try await client.compactContext(interaction: $0.interaction) {
            [environment] (bytes) throws(ChappieClientError) in
            try environment.memory.resize(lease, to: bytes)
          }
        } else {
          try Limits.check(promptBytes: summary.utf8.count)
          try await client.compactContext(summary: summary)
        }
        environment.memory.end(lease)
        countContext(for: application)
        return .tuple()
      },
      "GetContextSize": { [unowned self] in
        let window: UInt32 = try $0.argument(0)
        guard window > 0 else { throw BusError(.invalidArgument, "The context window must be at least 1 token.") }
        return .tuple(await client.contextSize(contextWindow: Int(window)).dictionary)
      },
    ]
  }
}
