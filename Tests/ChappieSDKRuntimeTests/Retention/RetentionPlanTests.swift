// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDKRuntime

struct RetentionPlanTests {
  private let day: Int64 = 86_400
  private let now: Int64 = 1_800_000_000

  /// A thread that was used, and archived, this many days ago.
  private func thread(_ id: String, used: Double, archived: Double? = nil, bytes: Int64 = 10) -> ChappieThreadSummary {
    ChappieThreadSummary(
      id: id, createdAtSeconds: 0, updatedAtSeconds: now - Int64(used * 86_400),
      archivedAtSeconds: archived.map { now - Int64($0 * 86_400) },
      bytes: bytes)
  }

  private func plan(
    _ policy: ChappieThreadStoreRetentionPolicy, _ threads: [ChappieThreadSummary], otherBytes: Int = 0,
    inUse: Set<String> = []
  ) -> RetentionPlan {
    RetentionPlan(policy, for: threads, otherBytes: Count(clamping: otherBytes), now: now, inUse: inUse)
  }

  @Test func theDefaultsArchiveAfterThirtyDaysAndDeleteSixtyLater() {
    let threads = [
      thread("new", used: 29.9), thread("old", used: 30), thread("away", used: 80, archived: 59.9),
      thread("gone", used: 90, archived: 60),
    ]
    let plan = plan(.default, threads)
    #expect(plan.archived == ["old"])
    #expect(plan.expired == ["gone"])
    #expect(plan.deleted.isEmpty)
  }

  @Test func aThreadInUseIsLeftAlone() {
    let threads = [thread("a", used: 400), thread("b", used: 500, archived: 400)]
    #expect(plan(.default, threads, inUse: ["a"]).archived.isEmpty)
    #expect(plan(.default, threads, inUse: ["b"]).expired.isEmpty)
    let tight = ChappieThreadStoreRetentionPolicy(maximumTotalBytes: 0)
    #expect(plan(tight, threads, inUse: ["b"]) == plan(tight, [threads[0]]))
  }

  @Test func theLimitDeletesTheOldestArchivedFirstThenTheOldestActive() {
    let threads = [
      thread("active-new", used: 1), thread("active-old", used: 3), thread("away-new", used: 20, archived: 1),
      thread("away-old", used: 10, archived: 2),
    ]
    let order = ["away-old", "away-new", "active-old", "active-new"]
    for count in 0...4 {
      let cap = ChappieThreadStoreRetentionPolicy(maximumTotalBytes: Int64(40 - 10 * count))
      #expect(plan(cap, threads).deleted == Array(order.prefix(count)))
      #expect(plan(cap, threads).archived.isEmpty)
    }
  }

  @Test func aThreadArchivedNowIsTheNewestArchived() {
    let threads = [thread("old", used: 40), thread("away", used: 40, archived: 1), thread("new", used: 1)]
    let policy = ChappieThreadStoreRetentionPolicy(maximumTotalBytes: 20)
    #expect(plan(policy, threads).deleted == ["away"])
    #expect(plan(policy, threads).archived == ["old"])
    // Threads that are deleted for their age make room, and unreadable ones count.
    let old = [thread("gone", used: 100, archived: 61), thread("away", used: 40, archived: 1)]
    #expect(plan(ChappieThreadStoreRetentionPolicy(maximumTotalBytes: 10), old).deleted == ["gone"])
    #expect(plan(policy, [thread("a", used: 1)], otherBytes: 15).deleted == ["a"])
  }

  @Test(arguments: [20, 25] as [Int])
  func nothingIsDeletedIfUnreadableThreadsFillTheLimit(_ otherBytes: Int) {
    let policy = ChappieThreadStoreRetentionPolicy(maximumTotalBytes: 20)
    let threads = [thread("a", used: 1), thread("old", used: 40), thread("gone", used: 100, archived: 61)]
    let plan = plan(policy, threads, otherBytes: otherBytes)
    #expect(plan.expired == ["gone"] && plan.deleted.isEmpty)
    #expect(plan.archived == ["old"])
  }

  @Test(arguments: [1e300, Double.infinity])
  func anInfiniteAgeAndNoLimitMeanNever(_ seconds: Double) {
    let policy = ChappieThreadStoreRetentionPolicy(archiveInactiveAfter: seconds, deleteArchivedAfter: seconds)
    let threads = [thread("a", used: 10_000), thread("b", used: 10_000, archived: 9_000)]
    #expect(plan(policy, threads) == RetentionPlan())
    #expect(plan(.unlimited, threads + [thread("c", used: 4_000, bytes: .max / 4)]) == RetentionPlan())
  }

  @Test func negativeNumbersAndNaNCountAsZero() {
    let policy = ChappieThreadStoreRetentionPolicy(
      maximumTotalBytes: -1, archiveInactiveAfter: .nan, deleteArchivedAfter: -5)
    #expect([policy.archiveInactiveAfter, policy.deleteArchivedAfter] == [0, 0] && policy.maximumTotalBytes == 0)
  }
}

struct ClockWitnessTests {
  private static let day: Int64 = 86_400
  private let monday = Timestamp(clamping: 1_800_000_000)

  /// Each process checks the clock before a server has told it the time, and this one runs every other day.
  @Test func aClockIsBelievedByThoseWhoDoNotLogInDaily() {
    var clock = ClockWitness()
    var isBelieved: [Bool] = []
    for days: Int64 in [0, 2, 4] {
      let now = monday + days * Self.day
      isBelieved.append(clock.believes(now, after: monday, serverTime: nil))
      isBelieved.append(clock.believes(now, after: monday, serverTime: now))
    }
    #expect(isBelieved == [false, false, false, true, false, true])
  }

  @Test func aClockThatAServerContradictsWaitsAnew() {
    var clock = ClockWitness()
    let ahead = monday + 3 * Self.day
    let looks = [(monday, monday), (ahead, monday), (ahead, ahead), (ahead + Self.day, ahead + Self.day)]
    let isBelieved = looks.map { now, told in clock.believes(now, after: monday, serverTime: told) }
    #expect(isBelieved == [false, false, false, true])
  }
}
