// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// What identifies a turn. Callers may choose the names of their turns, so a name alone does not.
struct TurnKey: Hashable {
  let caller: String
  let id: String
}

/// A turn that is about to begin: whose it is, and the shares of limits that it takes.
struct TurnPlace {
  let key: TurnKey
  /// Ends when the reply to the call has been sent. The call itself, with its arguments, is not kept.
  let replied: Wait
  let interaction: UserInteraction
  let options: TurnOptions
  let delivery: ServiceTurn.Delivery
  let application: Application
  /// Nil for a program outside of a sandbox.
  let app: AppID?
  let lease: Budget.Lease
  let memory: TurnMemory
  /// The text that the turn will say.
  let answer = AnswerText()
}

/// The running turns of one client, and those that ended last.
@GLibActor
final class TurnBook {
  private var turns: [TurnKey: ServiceTurn] = [:]
  /// The ended turns, oldest first.
  private var ended: [ServiceTurn] = []
  private let memory: MemoryBudget

  init(_ memory: MemoryBudget) {
    self.memory = memory
  }

  isolated deinit {
    for turn in ended { memory.end(turn.memory) }
  }

  var running: [ServiceTurn] { turns.values.filter(\.isRunning) }

  func add(_ turn: ServiceTurn) {
    turns[turn.key] = turn
  }

  /// Whether there may be a new turn of this key. An id that everyone sees must name one turn only.
  func mayAdd(_ key: TurnKey, isBroadcast: Bool) -> Bool {
    turns[key] == nil && !turns.values.contains { $0.id == key.id && ($0.isBroadcast || isBroadcast) }
  }

  /// Keeps an ended turn until newer ones replace it, or its application needs the memory.
  func retire(_ turn: ServiceTurn) {
    // This cannot fail: an ended turn takes less memory than a running one.
    try? memory.resize(turn.memory, to: turn.footprint)
    ended.append(turn)
    memory.spare(turn.memory) { [weak self, weak turn] in
      if let turn { self?.forget(turn) }
    }
    while let oldest = ended.first, ended.count > Limits.keptTurns || (ended.count > 1 && keptBytes > Limits.keptBytes)
    {
      memory.end(oldest.memory)
      forget(oldest)
    }
  }

  private var keptBytes: Int { ended.reduce(0) { $0 + $1.memory.amount } }

  private func forget(_ turn: ServiceTurn) {
    turns[turn.key] = nil
    ended.removeAll { $0 === turn }
  }

  /// The turn that a call names. It must be a turn of the caller, or a broadcast one.
  ///
  /// - Throws: `VariantError`, `BusError` with `NoSuchTurn`.
  func turn(of call: BusCall) throws -> ServiceTurn {
    let id: String = try call.argument(0)
    guard
      let turn = turns[TurnKey(caller: call.sender, id: id)]
        ?? turns.values.first(where: { $0.id == id && $0.isBroadcast })
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
    for turn in turns.values { await turn.end.value() }
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
