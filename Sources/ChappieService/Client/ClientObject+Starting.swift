// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// The start of a turn, of this interface or of `org.chappie.Threads`, until its memory is given back.
extension ClientObject {
  /// The options of a turn.
  ///
  /// - Throws: `VariantError`, `BusError`.
  func options(of call: BusCall, at index: Int) async throws -> TurnOptions {
    let options: VariantDictionary = try call.argument(index)
    return try await decoded(byteCount: options.variant.byteCount) { [models = environment.models] in
      try TurnOptions(options, models)
    }
  }

  /// Starts a turn on behalf of `call`.
  ///
  /// - Parameters:
  ///   - promptBytes: the bytes of all texts of the prompt.
  ///   - reply: the turn begins when this has ended; nil if it begins at once.
  ///   - run: runs the turn with the images that `options` names.
  /// - Throws: `BusError`.
  func start(
    _ call: BusCall, promptBytes: Int, _ options: TurnOptions, _ delivery: ServiceTurn.Delivery, after reply: Wait?,
    _ run: @escaping @GLibActor ([ChappieImage], TurnCaller) async throws -> ChappieResponse
  ) async throws -> ServiceTurn {
    guard let object else { throw BusError(CancellationError()) }
    try Prompt.check(promptBytes, options)
    let place = try await place(for: call, options, sent: promptBytes, engine: 2 * promptBytes)
    let images = try await self.images(options.images, for: call.sender, place.memory)
    let answer = AnswerText()
    let outlet = SignalOutlet(
      turn: place.id, caller: call.sender, delivery, answer, object: object, window: environment.window)
    return try begin(call, place, options, delivery, answer, outlet, after: reply) { try await run(images, $0) }
  }

  /// Opens a turn on a socket of its own, for the question that comes on the socket.
  ///
  /// - Parameter run: runs the turn with its question and images.
  /// - Throws: `BusError`; ``GLibError`` when no descriptor is left.
  func open(
    _ call: BusCall, _ options: TurnOptions,
    _ run: @escaping @GLibActor (Prompt, [ChappieImage], TurnCaller) async throws -> ChappieResponse
  ) async throws -> (Variant, Descriptor) {
    guard !options.broadcast else {
      throw BusError(.invalidArgument, "A turn on a socket cannot be broadcast: use Stream for that.")
    }
    let place = try await place(for: call, options, sent: 0, engine: 0)
    let (socket, callersEnd) = try StreamSocket.pair()
    let answer = AnswerText()
    let line = TurnLine(socket, place.memory)
    let outlet = LineOutlet(socket, answer)
    let turn = try begin(call, place, options, .line, answer, outlet, after: call.replied) { [self] in
      defer { line.end() }
      let (prompt, images) = try await line.asked()
      try prompt.check(options)
      try place.memory.add(sent: prompt.byteCount)
      try place.memory.set(engine: 2 * prompt.byteCount)
      return try await run(
        prompt, await self.images(options.images + images, for: call.sender, place.memory), $0)
    }
    line.follow(turn)
    outlet.onStall = { [weak turn] in
      turn?.fail(BusError(.cancelled, "Nobody has read the socket of the turn for five minutes."))
    }
    // Before the user consents to background use, nothing goes to the backend.
    if !options.background { client.expectTurn() }
    return (.tuple(turn.id, DescriptorHandle()), callersEnd)
  }

  /// The shares of limits that a turn takes, and its name.
  private struct Place {
    let id: String
    let application: Application
    /// Nil for a program outside of a sandbox.
    let app: AppID?
    let lease: ApplicationBudget.Lease
    let memory: TurnMemory
  }

  private func place(for call: BusCall, _ options: TurnOptions, sent: Int, engine: Int) async throws -> Place {
    let lease = try await environment.callers.leaseTurn(call.sender)
    let application = await environment.callers.application(of: call.sender)
    let app = try await environment.callers.owner(call.sender)
    let memory = try TurnMemory(
      environment.memory, for: application, sent: sent + options.footprint, engine: engine)
    var id = options.name ?? TurnID.next()
    // A caller may have chosen such a name.
    while options.name == nil, !isFree(id, for: call.sender, .signals(broadcast: true)) { id = TurnID.next() }
    return Place(id: id, application: application, app: app, lease: lease, memory: memory)
  }

  private func isFree(_ id: String, for caller: String, _ delivery: ServiceTurn.Delivery) -> Bool {
    turns.mayAdd(id, of: caller, isBroadcast: delivery.isBroadcast) && !environment.callers.hasTurn(id, of: caller)
  }

  private func begin(
    _ call: BusCall, _ place: Place, _ options: TurnOptions, _ delivery: ServiceTurn.Delivery, _ answer: AnswerText,
    _ outlet: any TurnOutlet, after reply: Wait?,
    _ run: @escaping @GLibActor (TurnCaller) async throws -> ChappieResponse
  ) throws -> ServiceTurn {
    guard isFree(place.id, for: call.sender, delivery) else {
      throw BusError(.invalidArgument, "There is a turn of the name '\(place.id)' already: choose another name.")
    }
    let turn = ServiceTurn(
      id: place.id, caller: call.sender, delivery: delivery, memory: place.memory.lease, answer, outlet
    ) {
      // The turn outlives its place, so this does not hold it.
      [environment, configuration = client.configuration, app = place.app] in
      try await environment.consent.admit(app) {
        try await Chappie.authSession(configuration: configuration).needsBackgroundConsent()
      }
    }
    turns.add(turn)
    environment.callers.add(turn, place.lease)
    turn.start(after: reply, interaction: call.interaction, tools: toolSet(for: turn, options)) {
      (bytes) throws(ChappieClientError) in
      try place.memory.set(engine: bytes)
    } _: {
      if options.background { try await turn.beginInBackground() }
      return try await run($0)
    } ended: { [weak self] in
      self?.finished(turn, of: place.application)
    }
    changed("ActiveTurns")
    return turn
  }

  /// The images that a caller names. This service opens the paths, and sees files that a sandboxed app does not.
  private func images(_ names: [String], for caller: String, _ memory: TurnMemory) async throws -> [ChappieImage] {
    try Limits.check(images: names.count)
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
      try memory.add(engine: 4 * size)
      try take(await ChappieImage(file: name))
    }
    return images
  }

  private func finished(_ turn: ServiceTurn, of application: Application) {
    environment.callers.remove(turn)
    changed("ActiveTurns")
    guard turn.memory.amount > MemoryBudget.largeLease else { return retire(turn, of: application) }
    // The last event is in a queue, and takes as much memory as the answer.
    MemoryHardening.trimHeapSoon()
    Task.onGLib {
      await turn.flushed()
      retire(turn, of: application)
    }
  }

  private func retire(_ turn: ServiceTurn, of application: Application) {
    turns.retire(turn)
    countContext(for: application)
  }
}
