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
    /// The maximum number of files that came with calls, of one group's calls and of all calls.
    var filesPerGroup = 64
    var filesInAll = 512
    /// The part of `filesInAll` that is reserved for groups with at most `filesOfShare` files.
    var filesReserve = 256
    var filesOfShare = 16
  }

  /// An item that was taken from the queue. It is pending until ``done(_:)`` is called with it.
  struct Served: Sendable {
    let item: Item
    let group: String
    fileprivate let load: Load
  }

  /// What calls take.
  fileprivate struct Load: Sendable {
    var calls = 0
    var bytes = 0
    var files = 0

    static func += (left: inout Load, right: Load) {
      left.calls += right.calls
      left.bytes += right.bytes
      left.files += right.files
    }

    static func -= (left: inout Load, right: Load) {
      left.calls -= right.calls
      left.bytes -= right.bytes
      left.files -= right.files
    }
  }

  private struct Waiting: Sendable {
    let item: Item
    let load: Load
  }

  private struct Queue: Sendable {
    var items: [Waiting] = []
    /// The number of items that were taken. They are removed from the array in batches, because removing the first
    /// element moves all others.
    var served = 0
    /// Includes the calls that are running.
    var pending = Load()

    var isEmpty: Bool { served == items.count }

    mutating func add(_ item: Waiting) {
      items.append(item)
      pending += item.load
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
  private var pending = Load()
  private var unassignedCalls = 0

  init(_ limits: Limits = Limits()) {
    self.limits = limits
  }

  // MARK: Coming

  enum Admission {
    case refused
    /// The calls bring more files than the limits allow.
    case refusedForFiles
    case admitted
    /// The first pending call of a caller whose group is unknown: ``assign(_:to:isLasting:)`` must follow.
    case admittedFromUnassigned
  }

  mutating func add(_ item: Item, bytes: Int, files: Int = 0, from caller: String) -> Admission {
    let call = Waiting(item: item, load: Load(calls: 1, bytes: bytes, files: files))
    if let group = hasGroups ? groupsOfCallers[caller] : caller { return add(call, to: group) }
    let queue = unassigned[caller] ?? Queue()
    let bound =
      unassignedCalls < limits.callsOfUnassignedCallers
      ? limits.callsPerUnassignedCaller : limits.shareOfUnassignedCaller
    guard queue.pending.calls < bound, hasRoom(for: bytes, queue) else { return .refused }
    guard hasRoom(forFiles: files, queue) else { return .refusedForFiles }
    unassigned[caller] = queue
    unassignedCalls += 1
    unassigned[caller]?.add(call)
    pending += call.load
    return queue.pending.calls == 0 ? .admittedFromUnassigned : .admitted
  }

  private mutating func add(_ call: Waiting, to group: String) -> Admission {
    let queue = groups[group] ?? Queue()
    let hasPlace = queue.pending.calls < limits.share || pendingCalls < limits.callsInAll - limits.reserve
    guard queue.pending.calls < limits.callsPerGroup, hasPlace, hasRoom(for: call.load.bytes, queue) else {
      return .refused
    }
    guard hasRoom(forFiles: call.load.files, queue) else { return .refusedForFiles }
    enqueue([call], in: group)
    pending += call.load
    return .admitted
  }

  private func hasRoom(for bytes: Int, _ queue: Queue) -> Bool {
    if queue.pending.bytes + bytes <= limits.bytesOfShare { return true }
    return (queue.pending.bytes == 0 || queue.pending.bytes + bytes <= limits.bytesPerGroup)
      && (pending.bytes == 0 || pending.bytes + bytes <= limits.bytesInAll)
  }

  private func hasRoom(forFiles files: Int, _ queue: Queue) -> Bool {
    guard files > 0 else { return true }
    let held = queue.pending.files + files
    let room = held <= limits.filesOfShare ? limits.filesInAll : limits.filesInAll - limits.filesReserve
    return held <= limits.filesPerGroup && pending.files + files <= room
  }

  private mutating func enqueue(_ items: [Waiting], in group: String) {
    if groups[group]?.isEmpty ?? true { turns.append(group) }
    for item in items { groups[group, default: Queue()].add(item) }
  }

  /// Assigns a caller to a group, and moves its queued calls there.
  ///
  /// - Parameter isLasting: whether later calls of the caller belong to the group as well.
  mutating func assign(_ caller: String, to group: String, isLasting: Bool) {
    if isLasting { groupsOfCallers[caller] = group }
    guard let queue = unassigned.removeValue(forKey: caller) else { return }
    unassignedCalls -= queue.pending.calls
    enqueue(queue.items, in: group)
  }

  /// Forgets the group of a caller that has left.
  mutating func forget(_ caller: String) {
    groupsOfCallers[caller] = nil
  }

  // MARK: Going

  var pendingCalls: Int { pending.calls }

  var canServe: Bool { !turns.isEmpty }

  /// Takes the next item, of the group whose turn it is; nil when the queue is empty.
  mutating func next() -> Served? {
    guard !turns.isEmpty else { return nil }
    let group = turns.removeFirst()
    guard var queue = groups.removeValue(forKey: group) else { return nil }
    let first = queue.takeFirst()
    if !queue.isEmpty { turns.append(group) }
    groups[group] = queue
    return Served(item: first.item, group: group, load: first.load)
  }

  /// Records that a call was replied to.
  mutating func done(_ served: Served) {
    pending -= served.load
    guard var queue = groups.removeValue(forKey: served.group) else { return }
    queue.pending -= served.load
    if queue.pending.calls > 0 { groups[served.group] = queue }
  }
}
