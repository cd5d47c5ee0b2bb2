// SPDX-License-Identifier: Apache-2.0

/// A fair queue of calls, with one queue for each group of callers. The groups take turns, so that a group with
/// thousands of calls delays another group by one call only.
///
/// A caller whose group is not known yet has a queue of its own, which is not served.
struct FairQueue<Item: Sendable>: Sendable {
  /// Limits on pending calls. A call is pending while it is queued or running.
  struct Limits: Sendable {
    /// The maximum number of calls of one group.
    var callsPerGroup = 256
    /// The maximum number of calls of all groups.
    var callsInAll = 2048
    /// The part of `callsInAll` that is reserved for groups with fewer than `share` pending calls, so that such a group
    /// is always admitted.
    var reserve = 512
    var share = 16
    /// The maximum number of calls of one caller without a group, and of all such callers. Above that total, each of
    /// them may have `shareOfUnassignedCaller` calls, so that many connections of one program do not lock out others.
    var callsPerUnassignedCaller = 64
    var callsOfUnassignedCallers = 1024
    var shareOfUnassignedCaller = 4
    /// The maximum size of the arguments in bytes, of one group's calls and of all calls. A group with nothing pending
    /// may exceed its own limit with one call.
    var bytesPerGroup = 32 << 20
    var bytesInAll = 64 << 20
    /// The size in bytes that each group may always have pending.
    var bytesOfShare = 64 << 10
  }

  /// An item that was taken from the queue. It is pending until ``done(_:)`` is called with it.
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
    /// The number of items that were taken. They are removed from the array in batches, because removing the first
    /// element moves all others.
    var served = 0
    /// Includes the calls that are running.
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
  /// Whether ``assign(_:to:isLasting:)`` assigns callers to groups. Otherwise each caller is a group of its own.
  var hasGroups = false
  private var groups: [String: Queue] = [:]
  private var unassigned: [String: Queue] = [:]
  private var groupsOfCallers: [String: String] = [:]
  /// The groups with queued calls, in the order of their turns.
  private var turns: [String] = []
  private(set) var pendingCalls = 0
  private var pendingBytes = 0
  private var unassignedCalls = 0

  init(_ limits: Limits = Limits()) {
    self.limits = limits
  }

  // MARK: Coming

  enum Admission {
    case refused
    case admitted
    /// The first pending call of a caller whose group is unknown: ``assign(_:to:isLasting:)`` must follow.
    case admittedFromUnassigned
  }

  mutating func add(_ item: Item, bytes: Int, from caller: String) -> Admission {
    if let group = hasGroups ? groupsOfCallers[caller] : caller { return add(item, bytes: bytes, to: group) }
    let queue = unassigned[caller] ?? Queue()
    let bound =
      unassignedCalls < limits.callsOfUnassignedCallers
      ? limits.callsPerUnassignedCaller : limits.shareOfUnassignedCaller
    guard queue.pendingCalls < bound, hasRoom(for: bytes, queue) else { return .refused }
    unassigned[caller] = queue
    unassignedCalls += 1
    unassigned[caller]?.add(Waiting(item: item, bytes: bytes))
    count(1, bytes)
    return queue.pendingCalls == 0 ? .admittedFromUnassigned : .admitted
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

  /// Assigns a caller to a group, and moves its queued calls there.
  ///
  /// - Parameter isLasting: whether later calls of the caller belong to the group as well.
  mutating func assign(_ caller: String, to group: String, isLasting: Bool) {
    if isLasting { groupsOfCallers[caller] = group }
    guard let queue = unassigned.removeValue(forKey: caller) else { return }
    unassignedCalls -= queue.pendingCalls
    enqueue(queue.items, in: group)
  }

  /// Forgets the group of a caller that has left.
  mutating func forget(_ caller: String) {
    groupsOfCallers[caller] = nil
  }

  // MARK: Going

  var canServe: Bool { !turns.isEmpty }

  /// Takes the next item, of the group whose turn it is; nil when the queue is empty.
  mutating func next() -> Served? {
    guard !turns.isEmpty else { return nil }
    let group = turns.removeFirst()
    guard var queue = groups.removeValue(forKey: group) else { return nil }
    let first = queue.takeFirst()
    if !queue.isEmpty { turns.append(group) }
    groups[group] = queue
    return Served(item: first.item, group: group, bytes: first.bytes)
  }

  /// Records that a call was replied to.
  mutating func done(_ served: Served) {
    count(-1, -served.bytes)
    guard var queue = groups.removeValue(forKey: served.group) else { return }
    queue.pendingCalls -= 1
    queue.pendingBytes -= served.bytes
    if queue.pendingCalls > 0 { groups[served.group] = queue }
  }
}
