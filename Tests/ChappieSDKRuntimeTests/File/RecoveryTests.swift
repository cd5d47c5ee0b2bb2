import SecretMemory
import Testing

@testable import ChappieSDKRuntime

/// What a store makes of files that are not as it left them.
struct RecoveryTests {
  private let world = FileStoreWorld()
  private let headerLength = LogHeader(kind: .thread, device: "d0").line.count

  /// A thread of three turns: four records.
  private func makeThread() async throws {
    let store = world.store()
    try await store.create(.sample("a", title: "A walk"))
    for number in 1...3 { try await store.append(.sample("t\(number)"), to: "a") }
  }

  private func frames(_ bytes: [UInt8]) -> [Range<Int>] {
    frameRanges(bytes, from: headerLength)
  }

  @Test func aLastRecordThatIsCutAnywhereCostsNothingElse() async throws {
    try await makeThread()
    let whole = try world.bytes("a.thread")
    let last = try #require(frames(whole).last)
    for length in last.lowerBound..<whole.count {
      try world.write(whole[..<length], "a.thread")
      let thread = try await world.store().thread("a")
      #expect(thread.turns.map(\.id) == ["t1", "t2"])
      #expect(thread.damage.map(\.offset) == (length == last.lowerBound ? [] : [Int64(last.lowerBound)]))
      #expect(try await world.store().threads(ChappieThreadQuery()).map(\.turnCount) == [2])
    }
  }

  @Test(arguments: [1, 10, 24, 40])
  func whatIsWrittenNextTakesTheTornRecordsPlace(_ rest: Int) async throws {
    try await makeThread()
    let whole = try world.bytes("a.thread")
    let last = try #require(frames(whole).last)
    try world.write(whole[..<(last.lowerBound + rest)], "a.thread")
    let store = world.store()
    try await store.append(.sample("t4"), to: "a")
    for reader in [store, world.store()] {
      let thread = try await reader.thread("a")
      #expect(thread.turns.map(\.id) == ["t1", "t2", "t4"])
      #expect(thread.damage.isEmpty)
      #expect(try await reader.threads(ChappieThreadQuery()) == [thread.summary])
    }
  }

  @Test func roomThatNothingWasWrittenToIsATornRecord() async throws {
    try await makeThread()
    try world.write(world.bytes("a.thread") + [UInt8](repeating: 0, count: 500), "a.thread")
    #expect(try await world.store().thread("a").damage.count == 1)
    try await world.store().append(.sample("t4"), to: "a")
    #expect(try await world.store().thread("a").damage.isEmpty)
    #expect(try await world.store().thread("a").turns.count == 4)
  }

  @Test(arguments: 0..<4)
  func aByteThatChangedCostsItsRecordAlone(_ place: Int) async throws {
    try await makeThread()
    let whole = try world.bytes("a.thread")
    let frame = frames(whole)[place]
    let records = ["created", "t1", "t2", "t3"]
    let rest = records.enumerated().filter { $0.offset != place && $0.offset > 0 }.map(\.element)
    for offset in frame {
      var bytes = whole
      bytes[offset] ^= 0x40
      try world.write(bytes, "a.thread")
      try? world.remove("index")
      let thread = try await world.store().thread("a")
      #expect(thread.turns.map(\.id) == rest, "\(offset)")
      #expect(thread.damage.contains { $0.offset == Int64(frame.lowerBound) }, "\(offset)")
      #expect(thread.summary.title == (place == 0 ? "" : "A walk"))
    }
    // It stays so when more is written.
    try await world.store().append(.sample("t4"), to: "a")
    #expect(try await world.store().thread("a").turns.map(\.id) == rest + ["t4"])
  }

  /// Else each turn would read the whole thread: its runtime compares the two.
  @Test func theIndexLearnsOfDamageFromWhoeverReadsTheThread() async throws {
    try await makeThread()
    let store = world.store()
    #expect(try await store.threads(ChappieThreadQuery()).map(\.turnCount) == [3])
    var bytes = try world.bytes("a.thread")
    bytes[frames(bytes)[2].upperBound - 1] ^= 0x40
    try world.write(bytes, "a.thread")
    let thread = try await store.thread("a")
    #expect(thread.turns.map(\.id) == ["t1", "t3"])
    for reader in [store, world.store()] {
      #expect(try await reader.threads(ChappieThreadQuery()) == [thread.summary])
      #expect(try await reader.summary(of: "a") == reader.thread("a").summary)
    }
    try await store.append(.sample("t4"), to: "a")
    #expect(try await store.summary(of: "a")?.turnCount == 3)
    #expect(try await world.store().thread("a").turns.map(\.id) == ["t1", "t3", "t4"])
  }

  @Test func aStoreThatKnowsNothingYetAgreesWithItselfAboutDamage() async throws {
    try await makeThread()
    var bytes = try world.bytes("a.thread")
    bytes[frames(bytes)[2].upperBound - 1] ^= 0x40
    try world.write(bytes, "a.thread")
    let store = world.store()
    let thread = try await store.thread("a")
    #expect(try await store.threads(ChappieThreadQuery()) == [thread.summary])
  }

  @Test func bytesInTheFirstLineThatChangedCostNothing() async throws {
    try await makeThread()
    let whole = try world.bytes("a.thread")
    for offset in 0..<headerLength {
      var bytes = whole
      bytes[offset] ^= 0x01
      try world.write(bytes, "a.thread")
      let thread = try await world.store().thread("a")
      #expect(thread.turns.count == 3, "\(offset)")
      #expect(thread.damage.map(\.offset) == [0], "\(offset)")
    }
  }

  @Test func recordsThatWereCutOutAreReported() async throws {
    try await makeThread()
    let whole = try world.bytes("a.thread")
    let gone = frames(whole)[2]
    try world.write(whole[..<gone.lowerBound] + whole[gone.upperBound...], "a.thread")
    let thread = try await world.store().thread("a")
    #expect(thread.turns.map(\.id) == ["t1", "t3"])
    #expect(
      thread.damage == [
        ChappieThreadDamage(offset: Int64(gone.lowerBound), reason: "before this, 1 records are missing")
      ])
  }

  @Test func bytesThatAreMissingCostTheirRecordAlone() async throws {
    try await makeThread()
    let whole = try world.bytes("a.thread")
    let frame = frames(whole)[1]
    for start in stride(from: frame.lowerBound, to: frame.upperBound - 30, by: 9) {
      try world.write(whole[..<start] + whole[(start + 30)...], "a.thread")
      let thread = try await world.store().thread("a")
      #expect(thread.turns.map(\.id) == ["t2", "t3"], "\(start)")
      #expect(thread.damage.contains { $0.offset == Int64(frame.lowerBound) }, "\(start)")
    }
  }

  @Test func aRecordThatIsThereTwiceCountsOnce() async throws {
    try await makeThread()
    let whole = try world.bytes("a.thread")
    try world.write(whole + whole[frames(whole)[2]], "a.thread")
    let thread = try await world.store().thread("a")
    #expect(thread.turns.map(\.id) == ["t1", "t2", "t3"])
    #expect(thread.damage.map(\.offset) == [Int64(whole.count)])
  }

  @Test func anotherVersionsFileIsLeftAlone() async throws {
    try await makeThread()
    let line = "chappie-thread 2 d0"
    let sum = String(SealedBytes.checksum(Array(line.utf8).span), radix: 16)
    let header = "\(line) \(String(repeating: "0", count: 16 - sum.count))\(sum)\n"
    let foreign = try Array(header.utf8) + world.bytes("a.thread")[headerLength...]
    try world.write(foreign, "a.thread")
    try world.remove("index")
    try await expectUnreadable(world.store())
    #expect(try world.bytes("a.thread") == foreign)
  }

  @Test func anotherDevicesFilesSayNothingHere() async throws {
    try await makeThread()
    let before = try world.bytes("a.thread")
    try await expectUnreadable(world.store(device: "d1"))
    #expect(try world.bytes("a.thread") == before)
    #expect(try await world.store().thread("a").turns.count == 3)
    #expect(try await world.store().threads(ChappieThreadQuery()).map(\.turnCount) == [3])
  }

  private func expectUnreadable(_ store: ChappieFileThreadStore) async throws {
    for operation in [
      { _ = try await store.thread("a") }, { try await store.append(.sample("t"), to: "a") },
      { try await store.change("a", .rename("b")) },
    ] as [@Sendable () async throws -> Void] {
      await #expect {
        try await operation()
      } throws: { error in
        if case ChappieThreadStoreError.unreadable = error { true } else { false }
      }
    }
    #expect(try await store.threads(ChappieThreadQuery(.all)).isEmpty)
    // It takes its room all the same, and its id is taken.
    #expect(try await store.usage().usedBytes == Int64(world.bytes("a.thread").count))
    await #expect(throws: ChappieThreadStoreError.exists("a")) { try await store.create(.sample("a")) }
  }

  @Test(arguments: [[], Array("garbage".utf8), [UInt8](repeating: 0, count: 300)])
  func aFileThatIsNoThreadIsNone(_ content: [UInt8]) async throws {
    try await makeThread()
    try world.write(content, "b.thread")
    #expect(try await world.store().threads(ChappieThreadQuery(.all)).map(\.id) == ["a"])
    await #expect(throws: ChappieThreadStoreError.self) { try await world.store().thread("b") }
    // It can be removed.
    try await world.store().delete("b")
    #expect(try !world.names.contains("b.thread"))
  }
}
