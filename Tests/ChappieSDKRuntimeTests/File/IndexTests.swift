import Testing

@testable import ChappieSDKRuntime

/// The index is a copy: whatever becomes of it, the logs count.
struct IndexTests {
  private let world = FileStoreWorld()

  private func makeThreads() async throws -> [ChappieThreadSummary] {
    let store = world.store()
    for number in 1...4 {
      try await store.create(.sample("n\(number)", title: "Title \(number)", at: Int64(number)))
    }
    try await store.append(.sample("t1"), to: "n2")
    try await store.change("n3", .archive)
    try await store.delete("n4")
    return try await store.threads(ChappieThreadQuery(.all))
  }

  @Test func itTellsWhatTheLogsDo() async throws {
    let listed = try await makeThreads()
    #expect(listed.map(\.id) == ["n2", "n3", "n1"])
    for summary in listed { #expect(try await world.store().thread(summary.id).summary == summary) }
  }

  @Test(arguments: ["n1", "n2", "n3"])
  func whatIsDeletedLeavesTheOthersAsTheyAre(_ deleted: String) async throws {
    let others = try await makeThreads().filter { $0.id != deleted }
    let store = world.store()
    try await store.delete(deleted)
    #expect(try await store.threads(ChappieThreadQuery(.all)) == others)
    #expect(try await world.store().threads(ChappieThreadQuery(.all)) == others)
    for summary in others { try await store.delete(summary.id) }
    #expect(try await store.usage().usedBytes == 0)
    #expect(try await world.store().threads(ChappieThreadQuery(.all)).isEmpty)
  }

  @Test func oneThatIsMissingIsMadeAgain() async throws {
    let listed = try await makeThreads()
    try world.remove("index")
    #expect(try await world.store().threads(ChappieThreadQuery(.all)) == listed)
    #expect(try world.names.contains("index"))
  }

  @Test func oneThatIsCutAnywhereIsMended() async throws {
    let listed = try await makeThreads()
    let whole = try world.bytes("index")
    for length in stride(from: 0, to: whole.count, by: 3) {
      try world.write(whole[..<length], "index")
      #expect(try await world.store().threads(ChappieThreadQuery(.all)) == listed, "\(length)")
    }
  }

  @Test func oneWithAByteThatChangedIsMended() async throws {
    let listed = try await makeThreads()
    let whole = try world.bytes("index")
    for offset in stride(from: 0, to: whole.count, by: 5) {
      var bytes = whole
      bytes[offset] ^= 0x10
      try world.write(bytes, "index")
      #expect(try await world.store().threads(ChappieThreadQuery(.all)) == listed, "\(offset)")
    }
  }

  @Test func oneThatIsOlderThanTheLogsCatchesUp() async throws {
    let store = world.store()
    try await store.create(.sample("a", title: "One"))
    try await store.create(.sample("b"))
    try await store.create(.sample("c"))
    let old = try world.bytes("index")
    for number in 1...3 { try await store.append(.sample("t\(number)"), to: "a") }
    try await store.change("a", .rename("Two"))
    try await store.delete("b")
    try await store.create(.sample("d"))
    let listed = try await store.threads(ChappieThreadQuery(.all))
    // As after a crash that took the index's last writes.
    try world.write(old, "index")
    let next = world.store()
    #expect(try await next.threads(ChappieThreadQuery(.all)) == listed)
    try world.write(old, "index")
    try await world.store().append(.sample("t4"), to: "a")
    #expect(try await world.store().thread("a").turns.map(\.id) == ["t1", "t2", "t3", "t4"])
    #expect(try await world.store().thread("a").damage.isEmpty)
  }

  @Test func aLogThatIsOlderThanTheIndexCounts() async throws {
    let store = world.store()
    try await store.create(.sample("a"))
    try await store.append(.sample("t1"), to: "a")
    let old = try world.bytes("a.thread")
    try await store.append(.sample("t2"), to: "a")
    // As one that was put back.
    try world.write(old, "a.thread")
    #expect(try await world.store().threads(ChappieThreadQuery()).map(\.turnCount) == [1])
    try await store.append(.sample("t3"), to: "a")
    #expect(try await world.store().thread("a").turns.map(\.id) == ["t1", "t3"])
  }

  @Test func itDoesNotGrowWithoutEnd() async throws {
    let store = world.store()
    try await store.create(.sample("a"))
    var largest = 0
    for number in 1...1_000 {
      try await store.change("a", .rename("Title \(number)"))
      largest = max(largest, try world.bytes("index").count)
    }
    #expect(largest < 70 << 10)
    #expect(try await world.store().threads(ChappieThreadQuery()).map(\.title) == ["Title 1000"])
  }
}
