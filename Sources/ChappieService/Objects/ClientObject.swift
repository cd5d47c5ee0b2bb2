import ChappieBusInterfaces
import ChappieSDK
import GLibBridge

/// `org.chappie.Client`: a client on the bus, with the turns that run on it.
@GLibActor
final class ClientObject {
  nonisolated static let interface = "org.chappie.Client"

  /// Who may use the object, which decides what a turn without options means.
  enum Sharing {
    /// Everybody: a turn stands alone.
    case shared
    /// One caller: a turn is part of the conversation.
    case opened
  }

  private let client: ChappieClient
  private let sharing: Sharing
  private let session: ObjectPath
  private let callers: Callers
  private let window: SendWindow
  private var turns: [String: ServiceTurn] = [:]
  /// The ids of turns that ended, oldest first.
  private var ended: [String] = []
  private weak var object: BusObject?

  init(_ client: ChappieClient, sharing: Sharing, session: ObjectPath, callers: Callers, window: SendWindow) {
    self.client = client
    self.sharing = sharing
    self.session = session
    self.callers = callers
    self.window = window
  }

  func implementation() throws -> BusImplementation {
    try BusImplementation(
      BusInterfaceDescription(xml: BusInterfaceFiles.client, name: Self.interface),
      methods: [
        "Send": { [unowned self] in try await reply($0, text(of: $0)) },
        "Stream": { [unowned self] in try stream($0, text(of: $0)) },
        "Respond": { [unowned self] in try await reply($0, transcript(of: $0)) },
        "StreamResponse": { [unowned self] in try stream($0, transcript(of: $0)) },
        "GetTurn": { [unowned self] in
          let turn = try turn(of: $0)
          return .tuple(turn.status.word, turn.text, turn.status.details)
        },
        "Cancel": { [unowned self] in
          try turn(of: $0).cancel()
          return .tuple()
        },
      ],
      properties: [
        "Model": { [unowned self] in client.configuration.model.variant },
        "Harness": { [unowned self] in client.configuration.harness.dictionary.variant },
        "ActiveTurns": { [unowned self] in turns.values.filter(\.isRunning).map(\.id).sorted().variant },
        "Session": { [unowned self] in session.variant },
        "Version": { UInt32(1).variant },
      ])
  }

  /// Starts to send signals from `object`.
  func attach(_ object: BusObject) {
    self.object = object
  }

  /// Waits until the last signals of all turns are sent.
  func turnsEnded() async {
    for turn in turns.values { await turn.ended() }
  }

  /// Cancels every turn that runs.
  func cancelTurns() {
    for turn in turns.values { turn.cancel() }
  }

  // MARK: Starting turns

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

  private func text(of call: BusCall) throws -> Question {
    .text(try call.argument(0))
  }

  private func transcript(of call: BusCall) throws -> Question {
    .transcript(try call.argument(0, as: [TranscriptEntry].self).map { try $0.message() })
  }

  private func reply(_ call: BusCall, _ question: Question) async throws -> Variant {
    let turn = try start(call, question) { options in options.broadcast ? .signals(broadcast: true) : .reply }
    return .tuple(try await turn.result())
  }

  private func stream(_ call: BusCall, _ question: Question) throws -> Variant {
    let turn = try start(call, question) { .signals(broadcast: $0.broadcast) }
    return .tuple(turn.id)
  }

  private func start(_ call: BusCall, _ question: Question, _ delivery: (TurnOptions) -> ServiceTurn.Delivery) throws
    -> ServiceTurn
  {
    guard let object else { throw BusError(CancellationError()) }
    let options = try TurnOptions(try call.argument(1, as: VariantDictionary.self))
    guard question.byteCount > 0 else {
      throw BusError(.invalidArgument, "There is no text to answer: give some.")
    }
    try callers.reserveTurn(call.sender, promptBytes: question.byteCount)
    let turn = ServiceTurn(
      id: TurnID.next(), caller: call.sender, delivery: delivery(options), object: object, window: window)
    turns[turn.id] = turn
    callers.add(turn)
    turn.start(client, clientTurn(question, options), interaction: call.interaction) { [weak self] in
      self?.finished(turn)
    }
    object.propertiesChanged(Self.interface, ["ActiveTurns"])
    return turn
  }

  private func clientTurn(_ question: Question, _ options: TurnOptions) -> ChappieClient.Turn {
    let isRecorded =
      switch sharing {
      case .opened: true
      case .shared: options.continues
      }
    switch question {
    case .text(let text):
      let message = ChappieInputMessage(role: .user, text: text, options: options.message)
      return isRecorded
        ? .next(message) : .alone(ChappieResponseRequest(messages: [message], options: options.message))
    case .transcript(let messages):
      let request = ChappieResponseRequest(messages: messages, options: options.message)
      return isRecorded ? .replay(request) : .alone(request)
    }
  }

  // MARK: Turns that exist

  private func turn(of call: BusCall) throws -> ServiceTurn {
    let id: String = try call.argument(0)
    guard let turn = turns[id], turn.isBroadcast || turn.caller == call.sender else {
      throw BusError(.noSuchTurn, "There is no such turn: it is not yours, or it ended too long ago.")
    }
    return turn
  }

  private func finished(_ turn: ServiceTurn) {
    callers.remove(turn)
    ended.append(turn.id)
    while ended.count > Limits.keptTurns { turns[ended.removeFirst()] = nil }
    object?.propertiesChanged(Self.interface, ["ActiveTurns"])
  }
}

/// Names of turns. None comes again after a restart: who asks for a turn of before is not told of another.
@GLibActor
private enum TurnID {
  private static let run = String(UInt32.random(in: 0...(.max)), radix: 36)
  private static var count = 0

  static func next() -> String {
    count += 1
    return "turn-\(run)-\(count)"
  }
}
