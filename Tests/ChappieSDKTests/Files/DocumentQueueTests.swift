// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TestSupport
import Testing

@testable import ChappieSDK

@GLibActor
struct DocumentQueueTests {
  private let queue = DocumentQueue()
  private let log = Log()

  @GLibActor
  private final class Log {
    var read: [String] = []
  }

  /// Reads a document for a caller.
  private func read(_ name: String, for caller: String, until end: Wait? = nil) -> Task<Void, any Error> {
    CallerGroup.$current.withValue(caller) {
      Task.onGLib {
        try await queue.inTurn(name: name) {
          log.read.append(name)
          await end?.value()
        }
      }
    }
  }

  @Test func callersTakeTurns() async throws {
    let end = Wait()
    var readings = [read("a1", for: "a", until: end)]
    for name in ["a2", "a3", "a4", "b1", "b2", "c1"] { readings.append(read(name, for: String(name.prefix(1)))) }
    try await eventually("the first document") { log.read == ["a1"] }
    end.finish()
    for reading in readings { try await reading.value }
    #expect(log.read == ["a1", "a2", "b1", "c1", "a3", "b2", "a4"])
  }

  @Test func oneCallerLeavesRoomForOthers() async throws {
    let end = Wait()
    let first = (0..<DocumentQueue.limit).map { read("\($0)", for: "a", until: end) }
    try await eventually("the first document") { log.read == ["0"] }
    await #expect(throws: ChappieClientError.self) { try await read("more", for: "a").value }
    let other = read("other", for: "b")
    end.finish()
    for reading in first + [other] { try await reading.value }
    #expect(log.read == ["0", "1", "other", "2", "3", "4"])
  }

  @Test func manyCallersHaveOneEach() async throws {
    let end = Wait()
    var readings = (0..<DocumentQueue.limitInAll / 2).map { read("\($0)", for: "\($0)", until: end) }
    try await eventually("the first document") { !log.read.isEmpty }
    await #expect(throws: ChappieClientError.self) { try await read("second", for: "1").value }
    readings.append(read("new", for: "new"))
    end.finish()
    for reading in readings { try await reading.value }
    #expect(log.read.count == readings.count)
  }

  @Test func aCancelledReadingStopsWaiting() async throws {
    let end = Wait()
    let first = read("first", for: "a", until: end)
    try await eventually("the first document") { log.read == ["first"] }
    let (second, third) = (read("second", for: "a"), read("third", for: "a"))
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    end.finish()
    try await first.value
    try await third.value
    #expect(log.read == ["first", "third"])
  }
}
