// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// The methods that start turns and return their results.
extension ClientObject {
  var turnMethods: [String: Handler] {
    [
      "Send": { [unowned self] in try await reply($0, .text($0.argument(0)), options: 1, answering) },
      "Stream": { [unowned self] in try await stream($0, .text($0.argument(0)), options: 1, answering) },
      "Respond": { [unowned self] in try await reply($0, transcript($0), options: 1, answering) },
      "StreamResponse": { [unowned self] in try await stream($0, transcript($0), options: 1, answering) },
      "GetTurn": { [unowned self] in
        let turn = try turns.turn(of: $0)
        return try environment.memory.reply(
          of: turn.replyBytes, for: await application(of: $0), over: environment.connection
        ) {
          .tuple(turn.statusWord, turn.text, turn.details)
        }
      },
      "Cancel": action { [turns] in try turns.turn(of: $0).cancel() },
    ]
  }

  var descriptorMethods: [String: BusImplementation.DescriptorMethod] {
    ["OpenTurn": { [unowned self] in try await open($0, options: 0, answering) }]
  }

  private func transcript(_ call: BusCall) throws -> Prompt {
    try Limits.check(messages: call.arguments.children.first?.childCount ?? 0)
    return .transcript(try call.argument(0, as: [TranscriptEntry].self).map { try $0.message() })
  }

  private var answering: Answering {
    { [self] in try await client.run(try input($0, $1), for: $2) }
  }

  /// - Throws: `BusError` with `InvalidArgument` for images or files of a message that is not the user's.
  private func input(_ question: Question, _ options: TurnOptions) throws -> TurnInput {
    let part =
      switch sharing {
      case .opened: TurnOptions.Part.next
      case .shared: options.part
      }
    var messages: [ChappieInputMessage]
    switch question.prompt {
    case .text(let text):
      let message = question.message(.user, text, options.message)
      if part == .next { return .next(message) }
      messages = [message]
    case .transcript(let transcript):
      messages = transcript
      if let last = messages.popLast() {
        guard last.role == .user || question.images.isEmpty && question.files.isEmpty else {
          throw BusError(.invalidArgument, "Images and files belong to a message of the user: end with one.")
        }
        messages.append(question.message(last.role, last.text, last.options))
      }
    }
    let request = ChappieResponseRequest(messages: messages, options: options.message)
    return switch part {
    case .none: .alone(request)
    case .next: .replay(request)
    case .first: .first(request)
    }
  }
}
