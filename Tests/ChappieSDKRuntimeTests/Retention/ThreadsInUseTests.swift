// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Testing

@testable import ChappieSDKRuntime

/// A turn may take minutes. Retention leaves its thread alone until it ends, even if other callers use the store.
struct ThreadsInUseTests {
  private let world = FileStoreWorld()

  private enum Kind: CaseIterable {
    case files, memory
  }

  /// Two store objects on one directory, or one in memory.
  private func stores(_ kind: Kind, _ retention: ChappieThreadStoreRetentionPolicy) -> [any ChappieThreadStore] {
    switch kind {
    case .files: [world.store(retention: retention), world.store(retention: retention)]
    case .memory: [world.memoryStore(retention: retention)]
    }
  }

  /// Runs every operation that enforces retention.
  private func useOthers(_ store: any ChappieThreadStore) async throws {
    try await store.append(.sample("t", at: world.clock.now), to: "other")
    _ = try await store.threads(ChappieThreadQuery())
    try await (store as? ChappieFileThreadStore)?.enforceRetention()
  }

  @Test(arguments: Kind.allCases)
  private func aThreadThatIsDueStaysUntilItsTurnHasEnded(_ kind: Kind) async throws {
    let stores = stores(kind, .default)
    for id in ["active", "away", "other"] { try await stores[0].create(.sample(id, at: world.clock.now)) }
    try await stores[0].change("away", .archive)
    var lease: TurnLease? = TurnLease()
    try await TurnLease.$current.withValue(lease) {
      for id in ["active", "away"] { _ = try await stores[0].summary(of: id) }
    }
    world.clock.advance(days: 100)
    for store in stores {
      try await useOthers(store)
      #expect(Set(try await store.threads(ChappieThreadQuery(.active)).map(\.id)) == ["active", "other"])
      #expect(try await store.threads(ChappieThreadQuery(.archived)).map(\.id) == ["away"])
    }
    withExtendedLifetime(lease) {}
    lease = nil
    try await useOthers(stores[0])
    world.clock.advance(days: 1)
    try await useOthers(stores[0])
    #expect(try await stores[0].threads(ChappieThreadQuery(.active)).map(\.id) == ["other"])
    #expect(try await stores[0].threads(ChappieThreadQuery(.archived)).map(\.id) == ["active"])
  }

  /// The turn itself makes the first access after a long time.
  @Test(arguments: Kind.allCases)
  private func aTurnTakesBackAThreadThatWasDue(_ kind: Kind) async throws {
    let store = stores(kind, .default)[0]
    try await store.create(.sample("away", at: world.clock.now))
    try await store.change("away", .archive)
    world.clock.advance(days: 100)
    try await TurnLease.$current.withValue(TurnLease()) {
      _ = try await store.summary(of: "away")
      try await store.append(.sample("t", at: world.clock.now), to: "away")
    }
    #expect(try await store.threads(ChappieThreadQuery()).map(\.id) == ["away"])
  }

  @Test(arguments: Kind.allCases)
  private func theLimitDeletesNoThreadWithARunningTurn(_ kind: Kind) async throws {
    let stores = stores(kind, ChappieThreadStoreRetentionPolicy(maximumTotalBytes: 3_000))
    let lease = TurnLease()
    try await TurnLease.$current.withValue(lease) { try await stores[0].create(.sample("used", at: world.clock.now)) }
    for number in 1...8 {
      world.clock.advance(seconds: 1)
      try await stores[0].create(.sample("n\(number)", at: world.clock.now))
      try await stores[0].append(.sample("t", at: world.clock.now), to: "n\(number)")
    }
    let left = try await stores[0].threads(ChappieThreadQuery(.all)).map(\.id)
    #expect(left.contains("used") && left.contains("n8") && !left.contains("n1"))
    withExtendedLifetime(lease) {}
  }
}
