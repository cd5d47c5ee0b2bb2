// SPDX-License-Identifier: Apache-2.0

/// Stored threads on a machine whose clock leaps.
@Suite(.worlds, .enabled(if: WrongClock.isPossible, "libfaketime is not installed")) @GLibActor
struct ThreadClockTests {
  @Test func aClockThatIsAheadDeletesNoArchivedThread() async throws {
    let world = try await World.begin()
    let clock = try WrongClock(ahead: 0, in: world)
    try await world.service.restart()
    let caller = try await world.signedInCaller()
    let threads = [try await caller.createThread("One"), try await caller.createThread("Two")]
    try await caller.call("Threads.Archive", threads[0])
    let all = { try await Set(caller.threadIDs(["archived": true]) + caller.threadIDs()) }
    for days in [61, 1000, 61] {
      try clock.set(ahead: days * 86_400)
      #expect(try await all() == Set(threads), "\(days) days")
      // The backend tells its own time.
      try await caller.call("Client.ListModels", VariantDictionary())
      #expect(try await all() == Set(threads), "\(days) days, after an answer")
      try await world.service.restart()
      #expect(try await all() == Set(threads), "\(days) days, after a restart")
    }
    try clock.set(ahead: 0)
    #expect(try await all() == Set(threads))
  }
}
