// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKRuntime
import GLibBridge

/// The methods that run turns and store them in a thread.
extension ThreadsObject {
  var turnMethods: [String: BusImplementation.Method] {
    [
      "Send": { [unowned self] in
        let options = try await client.options(of: $0, at: 2)
        let turn = try await start($0, options, options.broadcast ? .signals(broadcast: true) : .reply, nil)
        return .tuple(try await turn.result())
      },
      "Stream": { [unowned self] in
        let options = try await client.options(of: $0, at: 2)
        return .tuple(try await start($0, options, .signals(broadcast: options.broadcast), $0.replied).id)
      },
      "Compact": { [unowned self] in
        _ = try await compact($0).result()
        return .tuple()
      },
    ]
  }

  var lineMethods: [String: BusImplementation.DescriptorMethod] {
    [
      "OpenTurn": { [unowned self] call in
        let thread: String = try call.argument(0)
        let options = try await client.options(of: call, at: 1)
        return try await client.open(call, options) { [self] prompt, images, caller in
          guard case .text(let text) = prompt else {
            throw BusError(.invalidArgument, "A thread has its own messages: ask with 'text'.")
          }
          return try await run(text, images, options, in: thread, call, for: caller)
        }
      }
    ]
  }

  private func start(
    _ call: BusCall, _ options: TurnOptions, _ delivery: ServiceTurn.Delivery, _ reply: Wait?
  ) async throws -> ServiceTurn {
    let thread: String = try call.argument(0)
    let text: String = try call.argument(1)
    return try await client.start(call, promptBytes: text.utf8.count, options, delivery, after: reply) {
      [self] images, caller in
      try await run(text, images, options, in: thread, call, for: caller)
    }
  }

  private func run(
    _ text: String, _ images: [ChappieImage], _ options: TurnOptions, in thread: String, _ call: BusCall,
    for caller: TurnCaller
  ) async throws -> ChappieResponse {
    let message = ChappieInputMessage(role: .user, text: text, images: images, options: options.message)
    return try await inTurn(thread, call) { try await $0.run(message, for: caller) }
  }

  /// Starts a compaction. It runs as a turn, because it may ask the model, and ends when its caller leaves the bus.
  private func compact(_ call: BusCall) async throws -> ServiceTurn {
    let thread: String = try call.argument(0)
    let summary: String = try call.argument(1)
    return try await client.start(
      call, promptBytes: max(1, summary.utf8.count), TurnOptions([:]), .reply, after: nil
    ) { [self] _, _ in
      let context = try await inTurn(thread, call) { conversation in
        summary.isEmpty
          ? try await conversation.compactContext(interaction: call.interaction)
          : try await conversation.compactContext(summary: summary)
      }
      return ChappieResponse(
        outputText: context.compactedSummary ?? "", responseID: "", model: context.model, usage: ChappieTokenUsage())
    }
  }

  /// Runs `body` with the conversation of a thread after the earlier turns of the thread. If the thread cannot be read
  /// now or is too large, the call fails before the wait.
  private func inTurn<Result: Sendable>(
    _ thread: String, _ call: BusCall, _ body: (ChappieRuntime) async throws -> Result
  ) async throws -> Result {
    try await stored.inTurn(thread) {
      _ = try await Self.checkedSize(of: thread, in: unlockedStore(for: call))
    } _: {
      let memory = client.environment.memory
      let application = await client.environment.callers.application(of: call.sender)
      let size = try await Self.checkedSize(of: thread, in: unlockedStore(for: call))
      let lease = try memory.lease(MemoryBudget.replyFactor * size, for: application)
      defer {
        memory.end(lease)
        conversations.count(for: application, in: memory)
      }
      return try await body(conversations.conversation(thread))
    }
  }
}
