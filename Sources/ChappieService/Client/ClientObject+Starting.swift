// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// The start of a turn, of this interface or of `org.chappie.Threads`, until its memory is given back.
extension ClientObject {
  /// Answers the question of a turn.
  typealias Answering =
    @GLibActor (Prompt, AttachmentReader, TurnOptions, TurnCaller) async throws -> ChappieResponse

  /// Runs a turn, and replies with the whole answer.
  ///
  /// - Parameter index: the argument with the options.
  /// - Throws: `VariantError`, `BusError`, as the others do.
  func reply(
    _ call: BusCall, _ prompt: Prompt, options index: Int, _ answering: @escaping Answering
  ) async throws -> Variant {
    let options = try await options(of: call, at: index)
    try prompt.check(options)
    return .tuple(try await start(call, prompt, options, .reply, answering).result())
  }

  /// Starts a turn whose answer comes as signals, and replies with its name.
  func stream(
    _ call: BusCall, _ prompt: Prompt, options index: Int, _ answering: @escaping Answering
  ) async throws -> Variant {
    let options = try await options(of: call, at: index)
    try prompt.check(options)
    return .tuple(try await start(call, prompt, options, .signals, answering).id)
  }

  /// Opens a turn on a socket of its own, for the question that comes on the socket.
  ///
  /// - Throws: ``GLibError``, too, when no descriptor is left.
  func open(_ call: BusCall, options index: Int, _ answering: @escaping Answering) async throws -> Variant {
    let options = try await options(of: call, at: index)
    guard !options.broadcast else {
      throw BusError(.invalidArgument, "A turn on a socket cannot be broadcast: use Stream for that.")
    }
    let place = try await place(for: call, options, .line, promptBytes: 0)
    let attachments = try await attachments(of: call, place)
    let (socket, callersEnd) = try StreamSocket.pair()
    let line = TurnLine(socket, place.memory)
    let outlet = LineOutlet(socket, place.answer)
    let turn = try begin(place, outlet) {
      defer { line.end() }
      let (prompt, others) = try await line.asked()
      try prompt.check(options)
      // The text takes the place of the line that held it.
      try place.memory.set(.line, to: 0)
      try place.memory.add(prompt.byteCount + others.byteCount, to: .sent)
      try place.memory.set(.engine, to: 2 * prompt.byteCount)
      try await attachments.read(options.attachments + others)
      return try await answering(prompt, attachments, options, $0)
    }
    line.follow(turn)
    socket.onStall = { [weak turn, weak socket] in
      turn?.fail(BusError(.cancelled, "Nobody has read the socket of the turn for five minutes."))
      socket?.close()
    }
    // Before the user consents to background use, nothing goes to the backend.
    if !options.background { client.expectTurn() }
    call.files.pass(callersEnd)
    return .tuple(turn.id, DescriptorHandle())
  }

  func start(
    _ call: BusCall, _ prompt: Prompt, _ options: TurnOptions, _ delivery: ServiceTurn.Delivery,
    _ answering: @escaping Answering
  ) async throws -> ServiceTurn {
    guard signals.canBeSent else { throw BusError(CancellationError()) }
    let place = try await place(for: call, options, delivery, promptBytes: prompt.byteCount)
    let attachments = try await attachments(of: call, place)
    try await attachments.read(options.attachments)
    return try begin(place, SignalOutlet(place, signals, environment.window)) {
      try await answering(prompt, attachments, options, $0)
    }
  }

  /// Reads the files that came with a call, which closes them.
  private func attachments(of call: BusCall, _ place: TurnPlace) async throws -> AttachmentReader {
    let attachments = AttachmentReader(place, environment.fileReadings)
    try await attachments.read(place.options.handles, of: call.files.take())
    return attachments
  }

  private func options(of call: BusCall, at index: Int) async throws -> TurnOptions {
    let options: VariantDictionary = try call.argument(index)
    return try await decoded(byteCount: options.variant.byteCount) { [models = environment.models] in
      try TurnOptions(options, models)
    }
  }

  private func place(
    for call: BusCall, _ options: TurnOptions, _ delivery: ServiceTurn.Delivery, promptBytes: Int
  ) async throws -> TurnPlace {
    let lease = try await environment.callers.leaseTurn(call.sender)
    let application = await application(of: call)
    let app = try await environment.callers.owner(call.sender)
    if !options.toolServers.isEmpty { try environment.toolServers.authorize(app) }
    let memory = try TurnMemory(
      environment.memory, for: application, sent: promptBytes + options.footprint, engine: 2 * promptBytes)
    var key = TurnKey(caller: call.sender, id: options.name ?? TurnID.next())
    // A caller may have chosen such a name.
    while options.name == nil, !isFree(key, isBroadcast: true) {
      key = TurnKey(caller: call.sender, id: TurnID.next())
    }
    return TurnPlace(
      key: key, replied: call.replied, interaction: call.interaction, options: options, delivery: delivery,
      application: application, app: app, lease: lease, memory: memory)
  }

  private func isFree(_ key: TurnKey, isBroadcast: Bool) -> Bool {
    turns.mayAdd(key, isBroadcast: isBroadcast) && !environment.callers.hasTurn(key)
  }

  private func begin(
    _ place: TurnPlace, _ outlet: any TurnOutlet,
    _ run: @escaping @GLibActor (TurnCaller) async throws -> ChappieResponse
  ) throws -> ServiceTurn {
    guard isFree(place.key, isBroadcast: place.options.broadcast) else {
      throw BusError(
        .invalidArgument, "There is a turn of the name '\(place.key.id)' already: choose another name.")
    }
    let turn = ServiceTurn(place, outlet) {
      // The turn outlives its place, so this does not hold it.
      [environment, configuration = client.configuration, app = place.app] in
      try await environment.consent.admit(app) {
        try await Chappie.authSession(configuration: configuration).needsBackgroundConsent()
      }
    }
    turns.add(turn)
    environment.callers.add(turn, place.lease)
    turn.start(place, tools: toolSet(for: turn, place.options)) { [environment] in
      if place.options.background { try await turn.beginInBackground() }
      return try await run($0.adding(environment.toolServers.tools(of: place.options.toolServers, for: turn)))
    } ended: { [weak self] in
      self?.finished(turn, of: place.application)
    }
    signals.changed(["ActiveTurns"])
    return turn
  }

  private func finished(_ turn: ServiceTurn, of application: Application) {
    environment.callers.remove(turn)
    signals.changed(["ActiveTurns"])
    guard turn.memory.amount > MemoryBudget.largeLease else { return retire(turn, of: application) }
    // The last event is in a queue, and takes as much memory as the answer.
    MemoryHardening.trimHeapSoon()
    Task.onGLib {
      await turn.outlet.flush()
      retire(turn, of: application)
    }
  }

  private func retire(_ turn: ServiceTurn, of application: Application) {
    turns.retire(turn)
    countContext(for: application)
  }
}
