// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Testing

@testable import ChappieService

@GLibActor
struct MemoryBudgetTests {
  private static let one = Application.process(id: 1, startTime: 1)
  private static let two = Application.process(id: 2, startTime: 1)
  private static let mebibyte = 1 << 20

  private let memory = MemoryBudget()

  @Test func oneApplicationCannotLeaseAllMemory() throws {
    let most = try memory.lease(64 * Self.mebibyte, for: Self.one)
    #expect(throws: ChappieClientError.self) { try memory.lease(1, for: Self.one) }
    let small = try memory.lease(16 * Self.mebibyte, for: Self.two)
    memory.end(most)
    memory.end(small)
    #expect(throws: Never.self) { try memory.lease(64 * Self.mebibyte, for: Self.one) }
  }

  @Test func dropsTheApplicationsOldestSpareMemoryFirst() throws {
    var dropped: [String] = []
    let leases = try [Self.one, Self.one, Self.two].map { try memory.lease(20 * Self.mebibyte, for: $0) }
    for (lease, name) in zip(leases, ["first", "second", "other"]) { memory.spare(lease) { dropped.append(name) } }
    let lease = try memory.lease(40 * Self.mebibyte, for: Self.one)
    #expect(dropped == ["first"])
    try memory.resize(lease, to: 60 * Self.mebibyte)
    #expect(dropped == ["first", "second"])
    #expect(throws: ChappieClientError.self) { try memory.resize(lease, to: 65 * Self.mebibyte) }
    #expect(lease.amount == 60 * Self.mebibyte)
    for lease in leases { memory.end(lease) }
    memory.end(lease)
  }
}
