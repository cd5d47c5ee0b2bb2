// SPDX-License-Identifier: Apache-2.0
import SecretMemory
import Testing

@testable import GLibBridge
@testable import HTTPTestServer

/// Reads streamed bodies from a server in this process.
@Suite(.timeLimit(.minutes(1)))
@GLibActor
struct HTTPResponseTests {
  private let session = HTTPSession()

  /// Gives `read` an answer whose body `write` writes.
  private func withBody<Result>(
    _ write: @escaping @GLibActor @Sendable (HTTPServerStream) async throws -> Void,
    _ read: (HTTPResponse) async throws -> Result
  ) async throws -> Result {
    let server = try HTTPServer { _ in .stream(.init(status: 200), write) }
    let response = try await session.send(
      HTTPRequest(.get, "http://127.0.0.1:\(server.port)/"), deadline: .seconds(30))
    do {
      let result = try await read(response)
      await server.stop()
      return result
    } catch {
      await server.stop()
      throw error
    }
  }

  @Test func joinsTheChunks() async throws {
    let parts = (0..<20).map { Array(repeating: UInt8($0), count: 5000) }
    let bytes = try await withBody { stream in
      for part in parts { try await stream.write(part) }
    } _: {
      try await $0.bytes(limit: 100_000, deadline: .seconds(30))
    }
    #expect(bytes == parts.flatMap { $0 })
  }

  @Test func readsIntoGuardedMemory() async throws {
    let secret = try await withBody { stream in
      try await stream.write(Array("first, ".utf8))
      try await stream.write(Array("second".utf8))
    } _: {
      try await $0.secret(limit: 100, deadline: .seconds(30))
    }
    #expect(secret.isEqual(to: SecretBytes("first, second".utf8)))
  }

  @Test func refusesALongerBodyThanTheLimit() async throws {
    let empty = try await withBody({ _ in }) { try await $0.bytes(limit: 0, deadline: .seconds(30)) }
    #expect(empty == [])
    let write: @GLibActor @Sendable (HTTPServerStream) async throws -> Void = { try await $0.write([1, 2, 3]) }
    let bytes = try await withBody(write) { try await $0.bytes(limit: 3, deadline: .seconds(30)) }
    #expect(bytes == [1, 2, 3])
    await #expect(throws: GLibError.self) {
      try await withBody(write) { try await $0.bytes(limit: 2, deadline: .seconds(30)) }
    }
  }

  @Test func handsOverEachChunkBeforeTheNextIsWritten() async throws {
    let next = [Wait(), Wait()]
    var received: [[UInt8]] = []
    try await withBody { stream in
      try await stream.write([1])
      await next[0].value()
      try await stream.write([2])
      await next[1].value()
    } _: { response in
      try await response.forEachChunk(idleDeadline: .seconds(30)) { chunk in
        received.append(Array(copying: chunk))
        next[received.count - 1].finish()
        return .proceed
      }
    }
    #expect(received == [[1], [2]])
  }

  @Test func stopsWhenItsReaderHasEnough() async throws {
    var count = 0
    try await withBody { stream in
      try await stream.write([1])
      try await sleep(for: .seconds(3600))
    } _: { response in
      try await response.forEachChunk(idleDeadline: .seconds(3600)) { _ in
        count += 1
        return .stop
      }
    }
    #expect(count == 1)
  }

  /// A busy reader gets no chunk, and no chunk is lost.
  @Test func pausesUntilItsReaderIsReady() async throws {
    var total = 0
    var isBusy = false
    var wasDisturbed = false
    try await withBody { stream in
      for _ in 0..<50 { try await stream.write(Array(repeating: 0, count: 10_000)) }
    } _: { response in
      try await response.forEachChunk(idleDeadline: .seconds(30)) { chunk in
        wasDisturbed = wasDisturbed || isBusy
        total += chunk.count
        isBusy = true
        return .pause(
          until: Task { @GLibActor in
            for _ in 0..<10 { await Task.yield() }
            isBusy = false
          })
      }
    }
    #expect(total == 500_000)
    #expect(!wasDisturbed)
  }

  // MARK: Failures

  @Test func failsAfterTooLongASilence() async throws {
    await #expect(throws: GLibError.timedOut) {
      try await withBody { stream in
        try await stream.write([1])
        try await sleep(for: .seconds(3600))
      } _: {
        try await $0.bytes(limit: 10, deadline: .milliseconds(50))
      }
    }
  }

  /// The connection ends within a chunk; libsoup takes an end between two chunks for the end of the body.
  @Test func failsWhenTheBodyBreaksOff() async throws {
    await #expect(throws: GLibError.self) {
      try await withBody { stream in
        try await stream.send(Array("5\r\nab".utf8))
        stream.abort()
      } _: {
        try await $0.bytes(limit: 10, deadline: .seconds(30))
      }
    }
  }

  @Test func isCancelledWithItsTask() async throws {
    let received = Wait()
    let task = Task { @GLibActor in
      try await withBody { stream in
        try await stream.write([1])
        try await sleep(for: .seconds(3600))
      } _: { response in
        try await response.forEachChunk(idleDeadline: .seconds(3600)) { _ in
          received.finish()
          return .proceed
        }
      }
    }
    await received.value()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
