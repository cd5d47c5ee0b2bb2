// SPDX-License-Identifier: Apache-2.0
import Synchronization

@testable import ChappieService

@GLibActor
struct BudgetTests {
  private let budget = Budget(Budget.Bounds(each: 50, all: 100, reserve: 30, share: 10))

  @Test func aLeaseCountsUntilItEndsOrIsReleased() throws {
    _ = try budget.lease(20, for: .a)
    #expect(budget.total == 0)
    let lease = try budget.lease(20, for: .a)
    #expect(budget.amount(of: .a) == 20)
    lease.end()
    lease.end()
    #expect(budget.amount(of: .a) == 0)
    #expect(budget.total == 0)
  }

  @Test func keepsAReserveForHoldersWithSmallAmounts() throws {
    let large = try [budget.lease(50, for: .a), budget.lease(20, for: .b)]
    #expect(throws: Budget.Exhausted.all) { try budget.lease(1, for: .b) }
    #expect(throws: Budget.Exhausted.all) { try budget.lease(11, for: .c) }
    let small = try [Application.c, .d, .e].map { try budget.lease(10, for: $0) }
    #expect(budget.total == 100)
    #expect(throws: Budget.Exhausted.all) { try budget.lease(1, for: .f) }
    for lease in large + small { lease.end() }
    #expect(budget.total == 0)
  }

  @Test func theAmountOfEachHolderIsLimited() throws {
    let lease = try budget.lease(30, for: .a)
    for amount in [21, Int.max] {
      #expect(throws: Budget.Exhausted.holder(limit: 50)) { try budget.lease(amount, for: .a) }
    }
    try lease.resize(to: 50)
    #expect(throws: Budget.Exhausted.holder(limit: 50)) { try lease.resize(to: 51) }
    #expect(lease.amount == 50)
    #expect(budget.amount(of: .a) == 50)
    try lease.resize(to: 5)
    #expect(budget.total == 5)
    lease.end()
    #expect(budget.total == 0)
  }

  @Test func unsandboxedProgramsCannotUseTheLeasesOfSandboxedApps() throws {
    let app = Application.sandboxed(try #require(AppID("org.example.App")))
    let budget = Budget(Budget.Bounds(each: 4, kind: 8, all: 12, reserve: 2, share: 1))
    var leases: [Budget.Lease] = []
    /// Takes leases until the budget refuses one; returns their number and adds them to `leases`.
    func take(_ application: Application) -> Int {
      for count in 0... {
        guard let lease = try? budget.lease(for: application, of: "things") else { return count }
        leases.append(lease)
      }
      return 0
    }
    #expect(take(.a) == 4)
    // Unsandboxed programs share eight; two of these are the reserve for programs without a lease.
    #expect(take(.b) == 2)
    #expect(take(.c) == 1)
    #expect(take(.d) == 1)
    #expect(take(.e) == 0)
    #expect(take(app) == 4)
    #expect(throws: BusError.self) { try budget.lease(for: app, of: "things") }
    leases = []
    #expect(take(.e) == 4)
  }
}

extension Application {
  fileprivate static let a = process(id: 1, startTime: 1)
  fileprivate static let b = process(id: 2, startTime: 1)
  fileprivate static let c = process(id: 3, startTime: 1)
  fileprivate static let d = process(id: 4, startTime: 1)
  fileprivate static let e = process(id: 5, startTime: 1)
  fileprivate static let f = process(id: 6, startTime: 1)
}

@GLibActor
struct RateLimitTests {
  @Test func allowsABurstAndThenAFixedRate() throws {
    let start = ContinuousClock.now
    let seconds = Mutex(0)
    let limit = RateLimit<Application> { _ in
      Rate(atOnce: 3, perSecond: 0.5)
    } now: {
      start + .seconds(seconds.withLock { $0 })
    }
    let app = Application.sandboxed(try #require(AppID("org.example.App")))
    for _ in 0..<3 { #expect(limit.allows(app)) }
    #expect(!limit.allows(app))
    // Each application has its own limit.
    #expect(limit.allows(.uninspectable))
    seconds.withLock { $0 = 2 }
    #expect(limit.allows(app))
    #expect(!limit.allows(app))
    // Unused calls accumulate only up to the burst.
    seconds.withLock { $0 = 1000 }
    for _ in 0..<3 { #expect(limit.allows(app)) }
    #expect(!limit.allows(app))
  }
}

@GLibActor
struct MemoryBudgetTests {
  private static let mebibyte = 1 << 20

  private let memory = MemoryBudget()

  @Test func oneApplicationCannotLeaseAllMemory() throws {
    let most = try memory.lease(64 * Self.mebibyte, for: .a)
    #expect(throws: ChappieClientError.self) { try memory.lease(1, for: .a) }
    let small = try memory.lease(16 * Self.mebibyte, for: .b)
    memory.end(most)
    memory.end(small)
    #expect(throws: Never.self) { try memory.lease(64 * Self.mebibyte, for: .a) }
  }

  @Test func dropsTheApplicationsOldestSpareMemoryFirst() throws {
    var dropped: [String] = []
    let leases = try [Application.a, .a, .b].map { try memory.lease(20 * Self.mebibyte, for: $0) }
    for (lease, name) in zip(leases, ["first", "second", "other"]) { memory.spare(lease) { dropped.append(name) } }
    let lease = try memory.lease(40 * Self.mebibyte, for: .a)
    #expect(dropped == ["first"])
    try memory.resize(lease, to: 60 * Self.mebibyte)
    #expect(dropped == ["first", "second"])
    #expect(throws: ChappieClientError.self) { try memory.resize(lease, to: 65 * Self.mebibyte) }
    #expect(lease.amount == 60 * Self.mebibyte)
    for lease in leases { memory.end(lease) }
    memory.end(lease)
  }
}
