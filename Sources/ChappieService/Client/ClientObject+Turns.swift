import ChappieSDK
import GLibBridge
import Platform

/// The methods that start turns and return their results.
extension ClientObject {
  var turnMethods: [String: BusImplementation.Method] {
    [
      "Send": { [unowned self] in try await reply($0, question(text: $0)) },
      "Stream": { [unowned self] in try await stream($0, question(text: $0)) },
      "Respond": { [unowned self] in try await reply($0, question(transcript: $0)) },
      "StreamResponse": { [unowned self] in try await stream($0, question(transcript: $0)) },
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

  /// The input of a call: the next message of the conversation, or the caller's own transcript.
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
    try Limits.check(messages: call.arguments.children.first?.childCount ?? 0)
    return .transcript(try call.argument(0, as: [TranscriptEntry].self).map { try $0.message() })
  }

  private func reply(_ call: BusCall, _ question: Question) async throws -> Variant {
    let options = try await options(of: call)
    let turn = try await start(call, question, options, options.broadcast ? .signals(broadcast: true) : .reply)
    return .tuple(try await turn.result())
  }

  private func stream(_ call: BusCall, _ question: Question) async throws -> Variant {
    let options = try await options(of: call)
    return .tuple(try await start(call, question, options, .signals(broadcast: options.broadcast)).id)
  }

  private func options(of call: BusCall) async throws -> TurnOptions {
    let options: VariantDictionary = try call.argument(1)
    return try await decoded(byteCount: options.variant.byteCount) { try TurnOptions(options) }
  }

  // MARK: Starting

  private func start(
    _ call: BusCall, _ question: Question, _ options: TurnOptions, _ delivery: ServiceTurn.Delivery
  ) async throws -> ServiceTurn {
    try await start(call, promptBytes: question.byteCount, options, delivery) { [self] images, caller in
      try await client.run(clientTurn(question, images, options), for: caller)
    }
  }

  /// Starts a turn on behalf of `call`.
  ///
  /// - Parameters:
  ///   - promptBytes: the bytes of all texts of the prompt.
  ///   - run: runs the turn with the images that `options` names.
  /// - Throws: `BusError`.
  func start(
    _ call: BusCall, promptBytes: Int, _ options: TurnOptions, _ delivery: ServiceTurn.Delivery,
    _ run: @escaping @GLibActor ([ChappieImage], TurnCaller) async throws -> ChappieResponse
  ) async throws -> ServiceTurn {
    guard let object else { throw BusError(CancellationError()) }
    guard promptBytes > 0 else { throw BusError(.invalidArgument, "There is no text to answer: give some.") }
    try Limits.check(promptBytes: promptBytes + (options.message.instructions?.utf8.count ?? 0))
    let lease = try await environment.callers.leaseTurn(call.sender)
    let application = await environment.callers.application(of: call.sender)
    let ownBytes = MemoryBudget.callOverhead + promptBytes + options.footprint
    let memory = try environment.memory.lease(ownBytes + 2 * promptBytes, for: application)
    let images = try await self.images(options.images, for: call.sender, memory)
    let turn = ServiceTurn(
      id: TurnID.next(), caller: call.sender, delivery: delivery, memory: memory, object: object,
      window: environment.window)
    turns.add(turn)
    environment.callers.add(turn, lease)
    turn.start(interaction: call.interaction, tools: toolSet(for: turn, options)) {
      [environment] (bytes) throws(ChappieClientError) in
      try environment.memory.resize(memory, to: ownBytes + bytes)
    } _: {
      try await run(images, $0)
    } ended: { [weak self] in
      self?.finished(turn, of: application)
    }
    changed("ActiveTurns")
    return turn
  }

  /// The images that a caller names. This service opens the paths, and sees files that a sandboxed app does not.
  private func images(_ names: [String], for caller: String, _ memory: MemoryBudget.Lease) async throws
    -> [ChappieImage]
  {
    var images: [ChappieImage] = []
    var bytes = 0
    func take(_ image: ChappieImage) throws {
      bytes += image.url.utf8.count
      try Limits.check(imageBytes: bytes)
      images.append(image)
    }
    for name in names {
      guard name.hasPrefix("/") else {
        try take(ChappieImage(url: name))
        continue
      }
      guard try await environment.callers.owner(caller) == nil else {
        throw BusError(.accessDenied, "An app in a sandbox cannot name files: send the image as a data: address.")
      }
      // Counted before reading: the bytes of the file, and twice as many for the text.
      let size = await offActor { min(Files.size(name), ChappieImage.fileLimit) }
      try Limits.check(imageBytes: bytes + size / 3 * 4)
      try environment.memory.resize(memory, to: memory.amount + 4 * size)
      try take(await ChappieImage(file: name))
    }
    return images
  }

  private func clientTurn(_ question: Question, _ images: [ChappieImage], _ options: TurnOptions) -> TurnInput {
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

  private func finished(_ turn: ServiceTurn, of application: Application) {
    environment.callers.remove(turn)
    changed("ActiveTurns")
    guard turn.memory.amount > MemoryBudget.largeLease else { return retire(turn, of: application) }
    // The last signal is in the queue, and takes as much memory as the answer.
    MemoryHardening.trimHeapSoon()
    Task.onGLib { [environment] in
      try? await environment.connection.flush()
      retire(turn, of: application)
    }
  }

  private func retire(_ turn: ServiceTurn, of application: Application) {
    turns.retire(turn)
    countContext(for: application)
  }
}
