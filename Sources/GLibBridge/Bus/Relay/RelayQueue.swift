// SPDX-License-Identifier: Apache-2.0

/// A fair queue of messages that ``BusRelay`` has read but not forwarded, with one queue for each sender. The senders
/// take turns, so that a sender with thousands of messages delays another one by one message only.
struct RelayQueue {
  struct Bounds: Sendable {
    /// The maximum size of one sender's queue, in bytes. A sender with an empty queue may exceed it with one message.
    var ofSender = 8 << 20
    /// The maximum size of all queues, in bytes. Above it each sender may queue only `share` bytes. Above twice this
    /// size, the relay stops reading from the bus.
    var ofAll = 32 << 20
    var share = 64 << 10
  }

  enum Entry {
    /// The bytes of a message.
    case message([UInt8])
    /// A rejected message, and its replacement: an error when it was a reply, otherwise nothing.
    case refused(BusRelay.RejectedMessage, answer: [UInt8])

    fileprivate var weight: Int {
      switch self {
      case .message(let bytes), .refused(_, let bytes): bytes.count + RelayQueue.weightOfEntry
      }
    }
  }

  /// The approximate overhead of an entry, in bytes.
  private static let weightOfEntry = 256

  private struct Queue {
    var entries: ArraySlice<Entry> = []
    var weight = 0
  }

  private let bounds: Bounds
  private var queues: [String: Queue] = [:]
  /// The senders with queued messages, in the order of their turns.
  private var turns: ArraySlice<String> = []
  private var weight = 0

  init(_ bounds: Bounds) {
    self.bounds = bounds
  }

  var isEmpty: Bool { turns.isEmpty }
  var isFull: Bool { weight > 2 * bounds.ofAll }

  /// Whether a message of this size may be queued.
  func hasRoom(for bytes: Int, from sender: String) -> Bool {
    let added = bytes + Self.weightOfEntry
    let waiting = queues[sender]?.weight ?? 0
    if waiting + added <= bounds.share { return true }
    return weight + added <= bounds.ofAll && (waiting == 0 || waiting + added <= bounds.ofSender)
  }

  mutating func append(_ entry: Entry, from sender: String) {
    if queues[sender] == nil { turns.append(sender) }
    queues[sender, default: Queue()].entries.append(entry)
    queues[sender]?.weight += entry.weight
    weight += entry.weight
  }

  /// Removes the next entry, of the sender whose turn it is.
  mutating func popFirst() -> Entry? {
    guard let sender = turns.popFirst(), var queue = queues.removeValue(forKey: sender),
      let entry = queue.entries.popFirst()
    else { return nil }
    weight -= entry.weight
    queue.weight -= entry.weight
    if !queue.entries.isEmpty {
      queues[sender] = queue
      turns.append(sender)
    }
    return entry
  }
}
