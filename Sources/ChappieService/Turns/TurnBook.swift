import GLibBridge

/// The turns of one client: those that run, and the last ones that ended.
@GLibActor
final class TurnBook {
  private var turns: [String: ServiceTurn] = [:]
  /// The turns that ended, oldest first.
  private var ended: [(id: String, spare: MemoryBudget.Spare)] = []
  private let memory: MemoryBudget

  init(_ memory: MemoryBudget) {
    self.memory = memory
  }

  isolated deinit {
    for turn in ended { memory.end(turn.spare) }
  }

  var running: [ServiceTurn] { turns.values.filter(\.isRunning) }

  func add(_ turn: ServiceTurn) {
    turns[turn.id] = turn
  }

  /// Keeps a turn that has ended for as long as it is one of the last, and its application wants the memory for nothing
  /// else.
  func retire(_ turn: ServiceTurn) {
    // It is less than the turn took while it ran.
    try? memory.resize(turn.memory, to: turn.footprint)
    let id = turn.id
    ended.append((id, memory.spare(turn.memory) { [weak self] in self?.forget(id) }))
    while ended.count > Limits.keptTurns || (ended.count > 1 && keptBytes > Limits.keptBytes) {
      let oldest = ended.removeFirst()
      turns[oldest.id] = nil
      memory.end(oldest.spare)
    }
  }

  private var keptBytes: Int { ended.reduce(0) { $0 + $1.spare.lease.amount } }

  /// Lets go of a turn whose memory was given back already.
  private func forget(_ id: String) {
    turns[id] = nil
    ended.removeAll { $0.id == id }
  }

  /// The turn that a call names, when it is the caller's own or broadcast.
  ///
  /// - Throws: `VariantError`, `BusError` with `NoSuchTurn`.
  func turn(of call: BusCall) throws -> ServiceTurn {
    let id: String = try call.argument(0)
    guard let turn = turns[id], turn.isBroadcast || turn.caller == call.sender else {
      throw BusError(.noSuchTurn, "There is no such turn: it is not yours, or it ended too long ago.")
    }
    return turn
  }

  /// Cancels every turn that runs.
  func cancelAll() {
    for turn in turns.values { turn.cancel() }
  }

  /// Waits until the last signals of all turns are sent.
  func allEnded() async {
    for turn in turns.values { await turn.ended() }
  }
}

/// Names of turns. None comes again after a restart: who asks for a turn of before is not told of another.
@GLibActor
enum TurnID {
  private static let run = String(UInt32.random(in: 0...(.max)), radix: 36)
  private static var count = 0

  static func next() -> String {
    count += 1
    return "turn-\(run)-\(count)"
  }
}
