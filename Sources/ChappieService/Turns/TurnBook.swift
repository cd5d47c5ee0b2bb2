// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// The running turns of one client, and those that ended last.
@GLibActor
final class TurnBook {
  /// Callers may choose the names of their turns, so a name alone does not identify one.
  private struct Key: Hashable {
    let caller: String
    let id: String

    init(_ turn: ServiceTurn) {
      self.init(turn.id, of: turn.caller)
    }

    init(_ id: String, of caller: String) {
      self.caller = caller
      self.id = id
    }
  }

  private var turns: [Key: ServiceTurn] = [:]
  /// The ended turns, oldest first.
  private var ended: [(key: Key, spare: MemoryBudget.Spare)] = []
  private let memory: MemoryBudget

  init(_ memory: MemoryBudget) {
    self.memory = memory
  }

  isolated deinit {
    for turn in ended { memory.end(turn.spare) }
  }

  var running: [ServiceTurn] { turns.values.filter(\.isRunning) }

  func add(_ turn: ServiceTurn) {
    turns[Key(turn)] = turn
  }

  /// Whether a new turn of `caller` may have this id. An id that everyone sees must name one turn only.
  func mayAdd(_ id: String, of caller: String, isBroadcast: Bool) -> Bool {
    turns[Key(id, of: caller)] == nil && !turns.values.contains { $0.id == id && ($0.isBroadcast || isBroadcast) }
  }

  /// Keeps an ended turn until newer ones replace it, or its application needs the memory.
  func retire(_ turn: ServiceTurn) {
    // This cannot fail: an ended turn takes less memory than a running one.
    try? memory.resize(turn.memory, to: turn.footprint)
    let key = Key(turn)
    ended.append((key, memory.spare(turn.memory) { [weak self] in self?.forget(key) }))
    while ended.count > Limits.keptTurns || (ended.count > 1 && keptBytes > Limits.keptBytes) {
      let oldest = ended.removeFirst()
      turns[oldest.key] = nil
      memory.end(oldest.spare)
    }
  }

  private var keptBytes: Int { ended.reduce(0) { $0 + $1.spare.lease.amount } }

  /// Removes a turn whose memory was already given back.
  private func forget(_ key: Key) {
    turns[key] = nil
    ended.removeAll { $0.key == key }
  }

  /// The turn that a call names. It must be a turn of the caller, or a broadcast one.
  ///
  /// - Throws: `VariantError`, `BusError` with `NoSuchTurn`.
  func turn(of call: BusCall) throws -> ServiceTurn {
    let id: String = try call.argument(0)
    guard let turn = turns[Key(id, of: call.sender)] ?? turns.values.first(where: { $0.id == id && $0.isBroadcast })
    else {
      throw BusError(.noSuchTurn, "There is no such turn: it is not yours, or it ended too long ago.")
    }
    return turn
  }

  /// Cancels all running turns.
  func cancelAll() {
    for turn in turns.values { turn.cancel() }
  }

  /// Waits until all turns have ended and have sent their last signals.
  func allEnded() async {
    for turn in turns.values { await turn.ended() }
  }
}

/// Makes the ids of turns. A restarted service makes other ids, so that an old id does not name a new turn.
@GLibActor
enum TurnID {
  private static let run = String(UInt32.random(in: 0...(.max)), radix: 36)
  private static var count = 0

  static func next() -> String {
    count += 1
    return "turn-\(run)-\(count)"
  }
}
