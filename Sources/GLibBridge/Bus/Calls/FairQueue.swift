/// Calls that wait, in a queue for each group of callers whose calls count together. The groups take turns, so that one
/// with thousands of calls makes another wait for one of them, not for all.
///
/// A caller whose group is not known yet has a queue of its own, from which nothing is served.
struct FairQueue<Item: Sendable>: Sendable {
  /// How much may be pending: waiting, or under way and not answered.
  struct Limits: Sendable {
    /// Calls of one group.
    var callsPerGroup = 256
    /// Calls of all groups.
    var callsInAll = 2048
    /// Of those, how many are for groups alone that have fewer than `share` pending. Such a group always finds a place.
    var reserve = 512
    var share = 16
    /// Calls of one caller whose group is not known, and of all such callers. Beyond that each may have
    /// `shareOfStranger`: many connections of one program keep no other one out.
    var callsPerStranger = 64
    var callsOfStrangers = 1024
    var shareOfStranger = 4
    /// Bytes of the arguments of one group's calls, and of all. A group that has nothing pending may go beyond its own
    /// with one call.
    var bytesPerGroup = 32 << 20
    var bytesInAll = 64 << 20
    /// What one group may always have.
    var bytesOfShare = 64 << 10
  }

  /// An item that is served. It is pending until ``done(_:)`` is called with it.
  struct Served: Sendable {
    let item: Item
    let group: String
    fileprivate let bytes: Int
  }

  private struct Waiting: Sendable {
    let item: Item
    let bytes: Int
  }

  private struct Queue: Sendable {
    var items: [Waiting] = []
    /// How many of the items are gone: removing each from the front would move all the others.
    var served = 0
    /// Calls and bytes, those under way among them.
    var pendingCalls = 0
    var pendingBytes = 0

    var isEmpty: Bool { served == items.count }

    mutating func add(_ item: Waiting) {
      items.append(item)
      pendingCalls += 1
      pendingBytes += item.bytes
    }

    mutating func takeFirst() -> Waiting {
      defer {
        served += 1
        if isEmpty {
          items.removeAll(keepingCapacity: false)
          served = 0
        } else if served >= 64 {
          items.removeFirst(served)
          served = 0
        }
      }
      return items[served]
    }
  }

  let limits: Limits
  /// Whether somebody says by ``assign(_:to:isLasting:)`` who belongs to which group. Otherwise each caller is one.
  var hasGroups = false
  private var groups: [String: Queue] = [:]
  private var strangers: [String: Queue] = [:]
  private var groupsOfCallers: [String: String] = [:]
  /// The groups with something to serve, the next one first.
  private var turns: [String] = []
  private(set) var pendingCalls = 0
  private var pendingBytes = 0
  private var strangersCalls = 0

  init(_ limits: Limits = Limits()) {
    self.limits = limits
  }

  // MARK: Coming

  enum Admission {
    case refused
    case admitted
    /// It is the first of a caller whose group is not known: ``assign(_:to:isLasting:)`` has to follow.
    case admittedFromStranger
  }

  mutating func add(_ item: Item, bytes: Int, from caller: String) -> Admission {
    if let group = hasGroups ? groupsOfCallers[caller] : caller { return add(item, bytes: bytes, to: group) }
    let queue = strangers[caller] ?? Queue()
    let bound = strangersCalls < limits.callsOfStrangers ? limits.callsPerStranger : limits.shareOfStranger
    guard queue.pendingCalls < bound, hasRoom(for: bytes, queue) else { return .refused }
    strangers[caller] = queue
    strangersCalls += 1
    strangers[caller]?.add(Waiting(item: item, bytes: bytes))
    count(1, bytes)
    return queue.pendingCalls == 0 ? .admittedFromStranger : .admitted
  }

  private mutating func add(_ item: Item, bytes: Int, to group: String) -> Admission {
    let queue = groups[group] ?? Queue()
    let hasPlace = queue.pendingCalls < limits.share || pendingCalls < limits.callsInAll - limits.reserve
    guard queue.pendingCalls < limits.callsPerGroup, hasPlace, hasRoom(for: bytes, queue) else { return .refused }
    enqueue([Waiting(item: item, bytes: bytes)], in: group)
    count(1, bytes)
    return .admitted
  }

  private func hasRoom(for bytes: Int, _ queue: Queue) -> Bool {
    if queue.pendingBytes + bytes <= limits.bytesOfShare { return true }
    return (queue.pendingBytes == 0 || queue.pendingBytes + bytes <= limits.bytesPerGroup)
      && (pendingBytes == 0 || pendingBytes + bytes <= limits.bytesInAll)
  }

  private mutating func enqueue(_ items: [Waiting], in group: String) {
    if groups[group]?.isEmpty ?? true { turns.append(group) }
    for item in items { groups[group, default: Queue()].add(item) }
  }

  private mutating func count(_ calls: Int, _ bytes: Int) {
    pendingCalls += calls
    pendingBytes += bytes
  }

  /// Says which group a caller belongs to, and moves what it has waiting there.
  ///
  /// - Parameter isLasting: whether calls that follow belong there too; otherwise they are a stranger's again.
  mutating func assign(_ caller: String, to group: String, isLasting: Bool) {
    if isLasting { groupsOfCallers[caller] = group }
    guard let queue = strangers.removeValue(forKey: caller) else { return }
    strangersCalls -= queue.pendingCalls
    enqueue(queue.items, in: group)
  }

  /// Forgets the group of a caller that has left.
  mutating func forget(_ caller: String) {
    groupsOfCallers[caller] = nil
  }

  // MARK: Going

  var canServe: Bool { !turns.isEmpty }

  /// The next item, of the group whose turn it is; nil when nothing can be served.
  mutating func next() -> Served? {
    guard !turns.isEmpty else { return nil }
    let group = turns.removeFirst()
    guard var queue = groups.removeValue(forKey: group) else { return nil }
    let first = queue.takeFirst()
    if !queue.isEmpty { turns.append(group) }
    groups[group] = queue
    return Served(item: first.item, group: group, bytes: first.bytes)
  }

  /// An item that was served has been answered.
  mutating func done(_ served: Served) {
    count(-1, -served.bytes)
    guard var queue = groups.removeValue(forKey: served.group) else { return }
    queue.pendingCalls -= 1
    queue.pendingBytes -= served.bytes
    if queue.pendingCalls > 0 { groups[served.group] = queue }
  }
}
