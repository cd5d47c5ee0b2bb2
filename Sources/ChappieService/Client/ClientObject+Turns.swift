import ChappieSDK
import GLibBridge

/// Asking, and what becomes of it.
extension ClientObject {
  var turnMethods: [String: BusImplementation.Method] {
    [
      "Send": { [unowned self] in try await reply($0, question(text: $0)) },
      "Stream": { [unowned self] in try await stream($0, question(text: $0)) },
      "Respond": { [unowned self] in try await reply($0, question(transcript: $0)) },
      "StreamResponse": { [unowned self] in try await stream($0, question(transcript: $0)) },
      "GetTurn": { [unowned self] in
        let turn = try turns.turn(of: $0)
        return .tuple(turn.statusWord, turn.text, turn.status.details)
      },
      "Cancel": { [unowned self] in
        try turns.turn(of: $0).cancel()
        return .tuple()
      },
    ]
  }

  /// What a call asks: the next message of the transcript, or a transcript of the caller's own.
  private enum Question {
    case text(String)
    case transcript([ChappieInputMessage])

    var byteCount: Int {
      switch self {
      case .text(let text): text.utf8.count
      case .transcript(let messages): messages.reduce(0) { $0 + $1.text.utf8.count }
      }
    }
  }

  private func question(text call: BusCall) throws -> Question {
    .text(try call.argument(0))
  }

  private func question(transcript call: BusCall) throws -> Question {
    .transcript(try call.argument(0, as: [TranscriptEntry].self).map { try $0.message() })
  }

  private func reply(_ call: BusCall, _ question: Question) async throws -> Variant {
    let turn = try await start(call, question) { options in options.broadcast ? .signals(broadcast: true) : .reply }
    return .tuple(try await turn.result())
  }

  private func stream(_ call: BusCall, _ question: Question) async throws -> Variant {
    let turn = try await start(call, question) { .signals(broadcast: $0.broadcast) }
    return .tuple(turn.id)
  }

  // MARK: Starting

  private func start(
    _ call: BusCall, _ question: Question, _ delivery: (TurnOptions) -> ServiceTurn.Delivery
  ) async throws -> ServiceTurn {
    guard let object else { throw BusError(CancellationError()) }
    let options = try TurnOptions(try call.argument(1, as: VariantDictionary.self))
    guard question.byteCount > 0 else {
      throw BusError(.invalidArgument, "There is no text to answer: give some.")
    }
    let images = try await self.images(options.images, for: call.sender)
    try exporter.callers.reserveTurn(call.sender, promptBytes: question.byteCount)
    let turn = ServiceTurn(
      id: TurnID.next(), caller: call.sender, delivery: delivery(options), object: object, window: exporter.window)
    turns.add(turn)
    exporter.callers.add(turn)
    turn.start(
      client, clientTurn(question, images, options), interaction: call.interaction, tools: toolSet(for: turn, options)
    ) { [weak self] in
      self?.finished(turn)
    }
    changed("ActiveTurns")
    return turn
  }

  /// The images that a caller names. A path is opened by this service, which sees files that a sandboxed app does not.
  private func images(_ names: [String], for caller: String) async throws -> [ChappieImage] {
    var images: [ChappieImage] = []
    for name in names {
      guard name.hasPrefix("/") else {
        images.append(try ChappieImage(url: name))
        continue
      }
      guard try await exporter.callers.owner(caller) == nil else {
        throw BusError(.accessDenied, "An app in a sandbox cannot name files: send the image as a data: address.")
      }
      images.append(try await ChappieImage(file: name))
    }
    return images
  }

  private func clientTurn(_ question: Question, _ images: [ChappieImage], _ options: TurnOptions) -> ChappieClient.Turn
  {
    let isRecorded =
      switch sharing {
      case .opened: true
      case .shared: options.continues
      }
    switch question {
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

  private func finished(_ turn: ServiceTurn) {
    exporter.callers.remove(turn)
    turns.retire(turn)
    changed("ActiveTurns")
  }
}
