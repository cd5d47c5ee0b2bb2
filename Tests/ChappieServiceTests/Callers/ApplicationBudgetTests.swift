// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@testable import ChappieService

@GLibActor
struct ApplicationBudgetTests {
  private let budget = ApplicationBudget(
    ApplicationBudget.Bounds(each: 4, kind: 8, all: 12, reserve: 2, share: 1))

  private func process(_ id: Int32) -> Application { .process(Application.Process(id: id, startTime: 1)) }

  /// Takes leases until the budget refuses one; returns their number and adds them to `leases`.
  private func take(_ application: Application, _ leases: inout [ApplicationBudget.Lease]) -> Int {
    for count in 0... {
      guard let lease = try? budget.lease(for: application, of: "things") else { return count }
      leases.append(lease)
    }
    return 0
  }

  @Test func unsandboxedProgramsCannotUseTheLeasesOfSandboxedApps() throws {
    let app = Application.sandboxed(try #require(AppID("org.example.App")))
    var leases: [ApplicationBudget.Lease] = []
    #expect(take(process(1), &leases) == 4)
    // Unsandboxed programs share eight; two of these are the reserve for programs without a lease.
    #expect(take(process(2), &leases) == 2)
    #expect(take(process(3), &leases) == 1)
    #expect(take(process(4), &leases) == 1)
    #expect(take(process(5), &leases) == 0)
    #expect(take(app, &leases) == 4)
    #expect(throws: BusError.self) { try budget.lease(for: app, of: "things") }
    leases = []
    #expect(take(process(5), &leases) == 4)
  }
}
