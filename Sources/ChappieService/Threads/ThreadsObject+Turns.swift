import ChappieSDK
import ChappieSDKRuntime
import GLibBridge

/// Turns that are kept.
extension ThreadsObject {
  var turnMethods: [String: BusImplementation.Method] {
    [
      "Send": { [unowned self] in
        let options = try options(of: $0)
        let turn = try await start($0, options, options.broadcast ? .signals(broadcast: true) : .reply)
        return .tuple(try await turn.result())
      },
      "Stream": { [unowned self] in
        let options = try options(of: $0)
        return .tuple(try await start($0, options, .signals(broadcast: options.broadcast)).id)
      },
      "Compact": { [unowned self] in
        try await compact($0)
        return .tuple()
      },
    ]
  }

  private func options(of call: BusCall) throws -> TurnOptions {
    try TurnOptions(try call.argument(2, as: VariantDictionary.self))
  }

  private func start(
    _ call: BusCall, _ options: TurnOptions, _ delivery: ServiceTurn.Delivery
  ) async throws -> ServiceTurn {
    let thread: String = try call.argument(0)
    let text: String = try call.argument(1)
    return try await client.start(call, promptBytes: text.utf8.count, options, delivery) {
      [self] images, caller in
      let message = ChappieInputMessage(role: .user, text: text, images: images, options: options.message)
      return try await stored.inTurn(thread) {
        try await unlock(for: call)
        return try await conversations.conversation(thread).run(message, for: caller)
      }
    }
  }

  private func compact(_ call: BusCall) async throws {
    let thread: String = try call.argument(0)
    let summary: String = try call.argument(1)
    try Limits.check(promptBytes: summary.utf8.count)
    try await stored.inTurn(thread) {
      try await unlock(for: call)
      let conversation = await conversations.conversation(thread)
      if summary.isEmpty {
        try await conversation.compactContext(interaction: call.interaction)
      } else {
        try await conversation.compactContext(summary: summary)
      }
    }
  }
}
