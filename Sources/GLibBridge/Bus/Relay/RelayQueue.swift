/// What ``BusRelay`` has read and not handed on, in a queue for each sender. The senders take turns, so that thousands
/// of messages of one of them make another wait for one, not for all.
struct RelayQueue {
  struct Bounds: Sendable {
    /// Of one sender, in bytes. One that has nothing waiting may go beyond it with one message.
    var ofSender = 8 << 20
    /// Of all. Beyond it each sender has `share` alone; beyond twice as much, nothing is read from the bus.
    var ofAll = 32 << 20
    var share = 64 << 10
  }

  enum Entry {
    /// The bytes of a message.
    case message([UInt8])
    /// A message that is not handed on, and what is in its place: an error where it was an answer, else nothing.
    case refused(BusRelay.Refusal, answer: [UInt8])

    fileprivate var weight: Int {
      switch self {
      case .message(let bytes), .refused(_, let bytes): bytes.count + RelayQueue.weightOfEntry
      }
    }
  }

  /// What an entry takes of memory beside its bytes, about.
  private static let weightOfEntry = 256

  private struct Queue {
    var entries: ArraySlice<Entry> = []
    var weight = 0
  }

  private let bounds: Bounds
  private var queues: [String: Queue] = [:]
  /// Who has something waiting, the next one first.
  private var turns: ArraySlice<String> = []
  private var weight = 0

  init(_ bounds: Bounds) {
    self.bounds = bounds
  }

  var isEmpty: Bool { turns.isEmpty }
  var isFull: Bool { weight > 2 * bounds.ofAll }

  /// Whether a message of so many bytes may wait.
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

  /// Takes out the next entry, of the sender whose turn it is.
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
