import ChappieSDK
import GLibBridge

/// The conversation: what it holds, and how it is changed.
extension ClientObject {
  var contextMethods: [String: BusImplementation.Method] {
    [
      "GetContext": { [unowned self] _ in .tuple(await client.context().dictionary) },
      "ClearContext": { [unowned self] _ in
        try await client.clearContext()
        return .tuple()
      },
      "ResumeContext": { [unowned self] in
        let context = try ChappieClientContext($0.argument(0), base: await client.context())
        try await client.resumeContext(context)
        changed("Model")
        return .tuple()
      },
      "CompactContext": { [unowned self] in
        let summary: String = try $0.argument(0)
        if summary.isEmpty {
          // The model writes it: that is a turn as others are.
          let lease = try await exporter.callers.leaseTurn($0.sender)
          defer { withExtendedLifetime(lease) {} }
          _ = try await client.compactContext(interaction: $0.interaction)
        } else {
          try Limits.check(promptBytes: summary.utf8.count)
          try await client.compactContext(summary: summary)
        }
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
