// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@testable import ChappieService

@GLibActor
struct BudgetTests {
  private let budget = Budget<String>(.init(perHolder: 50, inAll: 100, reserve: 30, share: 10))

  @Test func aLeaseCountsUntilItEnds() throws {
    let lease = try budget.lease(20, for: "a")
    #expect(budget.amount(of: "a") == 20)
    lease.end()
    lease.end()
    #expect(budget.amount(of: "a") == 0)
    #expect(budget.total == 0)
  }

  @Test func aReleasedLeaseReturnsItsAmount() throws {
    _ = try budget.lease(20, for: "a")
    #expect(budget.total == 0)
  }

  @Test func limitsTheAmountOfEachHolder() throws {
    let first = try budget.lease(30, for: "a")
    #expect(throws: Budget<String>.Exhausted.holder(limit: 50)) { try budget.lease(21, for: "a") }
    #expect(throws: Budget<String>.Exhausted.holder(limit: 50)) { try budget.lease(.max, for: "a") }
    let second = try budget.lease(20, for: "a")
    #expect(budget.amount(of: "a") == 50)
    first.end()
    second.end()
  }

  @Test func keepsAReserveForHoldersWithSmallAmounts() throws {
    let large = try [budget.lease(50, for: "a"), budget.lease(20, for: "b")]
    #expect(throws: Budget<String>.Exhausted.all) { try budget.lease(1, for: "b") }
    #expect(throws: Budget<String>.Exhausted.all) { try budget.lease(11, for: "c") }
    let small = try ["c", "d", "e"].map { try budget.lease(10, for: $0) }
    #expect(budget.total == 100)
    #expect(throws: Budget<String>.Exhausted.all) { try budget.lease(1, for: "f") }
    for lease in large + small { lease.end() }
    #expect(budget.total == 0)
  }

  @Test func aLeaseGrowsAndShrinks() throws {
    let lease = try budget.lease(10, for: "a")
    try lease.resize(to: 50)
    #expect(throws: Budget<String>.Exhausted.holder(limit: 50)) { try lease.resize(to: 51) }
    #expect(lease.amount == 50)
    #expect(budget.amount(of: "a") == 50)
    try lease.resize(to: 5)
    #expect(budget.total == 5)
    lease.end()
    #expect(budget.total == 0)
  }
}
