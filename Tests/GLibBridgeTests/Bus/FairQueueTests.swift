// SPDX-License-Identifier: Apache-2.0
@testable import GLibBridge

struct FairQueueTests {
  private func queue(_ change: (inout FairQueue<Int>.Limits) -> Void = { _ in }) -> FairQueue<Int> {
    var limits = FairQueue<Int>.Limits()
    change(&limits)
    return FairQueue(limits)
  }

  private func served(_ queue: inout FairQueue<Int>) -> [Int] {
    var items: [Int] = []
    while let next = queue.next() {
      items.append(next.item)
      queue.done(next)
    }
    return items
  }

  @Test func groupsTakeTurns() {
    var queue = queue()
    for item in 0..<4 { _ = queue.add(item, bytes: 1, from: "a") }
    for item in 10..<12 { _ = queue.add(item, bytes: 1, from: "b") }
    _ = queue.add(20, bytes: 1, from: "c")
    #expect(served(&queue) == [0, 10, 20, 1, 11, 2, 3])
    #expect(queue.pendingCalls == 0 && !queue.canServe)
  }

  @Test func limitsThePendingCallsOfAGroup() {
    var queue = queue { $0.callsPerGroup = 2 }
    #expect(queue.add(0, bytes: 1, from: "a") == .admitted)
    #expect(queue.add(1, bytes: 1, from: "a") == .admitted)
    #expect(queue.add(2, bytes: 1, from: "a") == .refused)
    #expect(queue.add(3, bytes: 1, from: "b") == .admitted)
    let first = queue.next()
    #expect(queue.add(2, bytes: 1, from: "a") == .refused)
    first.map { queue.done($0) }
    #expect(queue.add(2, bytes: 1, from: "a") == .admitted)
  }

  @Test func reservesRoomForGroupsWithFewCalls() {
    var queue = queue {
      $0.callsInAll = 10
      $0.reserve = 4
      $0.share = 2
    }
    for item in 0..<6 { #expect(queue.add(item, bytes: 1, from: "a") == .admitted) }
    #expect(queue.add(6, bytes: 1, from: "a") == .refused)
    for item in 0..<2 { #expect(queue.add(item, bytes: 1, from: "b") == .admitted) }
    #expect(queue.add(2, bytes: 1, from: "b") == .refused)
    for item in 0..<2 { #expect(queue.add(item, bytes: 1, from: "c") == .admitted) }
    #expect(queue.add(2, bytes: 1, from: "c") == .refused)
    #expect(queue.add(0, bytes: 1, from: "d") == .admitted, "a group without calls is always admitted")
  }

  @Test func limitsThePendingFiles() {
    var queue = queue {
      $0.filesPerGroup = 4
      $0.filesInAll = 8
      $0.filesReserve = 3
      $0.filesOfShare = 1
    }
    #expect(queue.add(0, bytes: 1, files: 3, from: "a") == .admitted)
    #expect(queue.add(1, bytes: 1, files: 2, from: "a") == .refusedForFiles)
    #expect(queue.add(1, bytes: 1, from: "a") == .admitted)
    #expect(queue.add(2, bytes: 1, files: 2, from: "b") == .admitted)
    #expect(queue.add(3, bytes: 1, files: 2, from: "c") == .refusedForFiles, "the rest is reserved")
    #expect(queue.add(3, bytes: 1, files: 1, from: "c") == .admitted)
    _ = served(&queue)
    #expect(queue.add(4, bytes: 1, files: 4, from: "c") == .admitted)
    #expect(queue.add(5, bytes: 1, files: 5, from: "d") == .refusedForFiles)
  }

  @Test func limitsThePendingBytes() {
    var queue = queue {
      $0.bytesPerGroup = 10
      $0.bytesInAll = 30
      $0.bytesOfShare = 0
    }
    // A single call may exceed the total limit.
    #expect(queue.add(0, bytes: 20, from: "a") == .admitted)
    #expect(queue.add(1, bytes: 1, from: "a") == .refused)
    #expect(queue.add(2, bytes: 9, from: "b") == .admitted)
    #expect(queue.add(3, bytes: 2, from: "c") == .refused)
    #expect(served(&queue) == [0, 2])
    #expect(queue.add(3, bytes: 2, from: "c") == .admitted)
  }

  // MARK: Callers of an unknown group

  @Test func connectionsOfOneGroupShareItsQueue() {
    var queue = queue { $0.callsPerGroup = 4 }
    queue.hasGroups = true
    #expect(queue.add(0, bytes: 1, from: ":1") == .admittedFromUnassigned)
    #expect(queue.add(1, bytes: 1, from: ":1") == .admitted)
    #expect(queue.add(2, bytes: 1, from: ":2") == .admittedFromUnassigned)
    #expect(queue.next() == nil)
    queue.assign(":2", to: "app", isLasting: true)
    queue.assign(":1", to: "app", isLasting: true)
    #expect(queue.add(3, bytes: 1, from: ":2") == .admitted)
    #expect(queue.add(4, bytes: 1, from: ":1") == .refused)
    #expect(served(&queue) == [2, 0, 1, 3])
    queue.forget(":1")
    #expect(queue.add(5, bytes: 1, from: ":1") == .admittedFromUnassigned)
    queue.assign(":1", to: "app", isLasting: false)
    #expect(queue.add(6, bytes: 1, from: ":1") == .admittedFromUnassigned)
    #expect(served(&queue) == [5])
  }

  @Test func callersOfUnknownGroupHaveTheirOwnLimits() {
    var queue = queue {
      $0.callsPerUnassignedCaller = 1
      $0.callsOfUnassignedCallers = 2
      $0.shareOfUnassignedCaller = 0
    }
    queue.hasGroups = true
    #expect(queue.add(0, bytes: 1, from: ":1") == .admittedFromUnassigned)
    #expect(queue.add(0, bytes: 1, from: ":1") == .refused)
    #expect(queue.add(0, bytes: 1, from: ":2") == .admittedFromUnassigned)
    #expect(queue.add(0, bytes: 1, from: ":3") == .refused)
    queue.assign(":1", to: "app", isLasting: true)
    #expect(queue.add(0, bytes: 1, from: ":3") == .admittedFromUnassigned)
    #expect(queue.add(0, bytes: 1, from: ":1") == .admitted)
  }

  @Test func callersOfUnknownGroupDoNotLockOutANewOne() {
    var queue = queue {
      $0.callsOfUnassignedCallers = 2
      $0.shareOfUnassignedCaller = 1
    }
    queue.hasGroups = true
    for _ in 0..<2 { _ = queue.add(0, bytes: 1, from: ":1") }
    #expect(queue.add(0, bytes: 1, from: ":1") == .refused)
    #expect(queue.add(0, bytes: 1, from: ":2") == .admittedFromUnassigned)
    #expect(queue.add(0, bytes: 1, from: ":2") == .refused)
  }
}
