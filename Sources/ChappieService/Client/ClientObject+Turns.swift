// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// The methods that start turns and return their results.
extension ClientObject {
  var turnMethods: [String: BusImplementation.Method] {
    [
      "Send": { [unowned self] in try await reply($0, prompt(text: $0)) },
      "Stream": { [unowned self] in try await stream($0, prompt(text: $0)) },
      "Respond": { [unowned self] in try await reply($0, prompt(transcript: $0)) },
      "StreamResponse": { [unowned self] in try await stream($0, prompt(transcript: $0)) },
      "GetTurn": { [unowned self] in
        let turn = try turns.turn(of: $0)
        let application = await environment.callers.application(of: $0.sender)
        return try environment.memory.reply(of: turn.replyBytes, for: application, over: environment.connection) {
          .tuple(turn.statusWord, turn.text, turn.details)
        }
      },
      "Cancel": { [unowned self] in
        try turns.turn(of: $0).cancel()
        return .tuple()
      },
    ]
  }

  var lineMethods: [String: BusImplementation.DescriptorMethod] {
    [
      "OpenTurn": { [unowned self] call in
        let options = try await options(of: call, at: 0)
        return try await open(call, options) { [self] prompt, images, caller in
          try await client.run(input(prompt, images, options), for: caller)
        }
      }
    ]
  }

  private func prompt(text call: BusCall) throws -> Prompt {
    .text(try call.argument(0))
  }

  private func prompt(transcript call: BusCall) throws -> Prompt {
    try Limits.check(messages: call.arguments.children.first?.childCount ?? 0)
    return .transcript(try call.argument(0, as: [TranscriptEntry].self).map { try $0.message() })
  }

  private func reply(_ call: BusCall, _ prompt: Prompt) async throws -> Variant {
    let options = try await options(of: call, at: 1)
    let turn = try await start(call, prompt, options, options.broadcast ? .signals(broadcast: true) : .reply, nil)
    return .tuple(try await turn.result())
  }

  private func stream(_ call: BusCall, _ prompt: Prompt) async throws -> Variant {
    let options = try await options(of: call, at: 1)
    return .tuple(
      try await start(call, prompt, options, .signals(broadcast: options.broadcast), call.replied).id)
  }

  private func start(
    _ call: BusCall, _ prompt: Prompt, _ options: TurnOptions, _ delivery: ServiceTurn.Delivery, _ reply: Wait?
  ) async throws -> ServiceTurn {
    try await start(call, promptBytes: prompt.byteCount, options, delivery, after: reply) { [self] images, caller in
      try await client.run(input(prompt, images, options), for: caller)
    }
  }

  private func input(_ prompt: Prompt, _ images: [ChappieImage], _ options: TurnOptions) -> TurnInput {
    let isRecorded =
      switch sharing {
      case .opened: true
      case .shared: options.continues
      }
    switch prompt {
    case .text(let text):
      let message = ChappieInputMessage(role: .user, text: text, images: images, options: options.message)
      return isRecorded
        ? .next(message) : .alone(ChappieResponseRequest(messages: [message], options: options.message))
    case .transcript(var messages):
      if let last = messages.popLast() {
        messages.append(ChappieInputMessage(role: last.role, text: last.text, images: images, options: last.options))
      }
      let request = ChappieResponseRequest(messages: messages, options: options.message)
      return isRecorded ? .replay(request) : .alone(request)
    }
  }
}
