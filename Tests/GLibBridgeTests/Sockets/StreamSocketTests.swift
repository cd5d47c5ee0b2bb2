// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Glibc

/// Sockets that never block the actor.
@GLibActor
struct StreamSocketTests {
  private static let block = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)

  /// What the peer does not read stays in the queue.
  @Test func aSlowPeerIsWaitedFor() async throws {
    let (near, far) = try StreamSocket.ends()
    var drained = 0
    near.onDrained = { drained += 1 }
    near.send { $0 += Self.block }
    #expect(near.queuedBytes > 0)
    #expect(drained == 0)
    var received = 0
    while received < Self.block.count { received += try await far.receive().count }
    try await eventually("an empty queue") { near.queuedBytes == 0 }
    #expect(drained == 1)
    #expect(received == Self.block.count)
  }

  @Test func finishingSendsTheQueueFirst() async throws {
    let (near, far) = try StreamSocket.ends()
    near.send { $0 += Self.block }
    near.finish()
    near.send { $0 += "lost".utf8 }
    #expect(try await far.rest() == Self.block)
  }

  @Test func aPeerThatReadsNothingIsReported() async throws {
    let (near, far) = try StreamSocket.ends(patience: .milliseconds(1))
    var reports = 0
    near.onStall = { reports += 1 }
    near.send { $0 += Self.block }
    near.finish()
    try await eventually("a report") { reports == 1 }
    // What the kernel had taken.
    #expect(try await far.rest().count < Self.block.count)
  }

  /// However long the whole takes, and also if it reads less than makes room in the kernel's buffer. Under load this
  /// test itself may pause for too long: then it tries again.
  @Test func aPeerThatReadsSlowlyIsNot() async throws {
    let patience = Duration.milliseconds(500)
    var longest = patience
    while longest >= patience / 2 {
      longest = .zero
      let (near, far) = try StreamSocket.ends(patience: patience)
      var reports = 0
      near.onStall = { reports += 1 }
      near.send { bytes in for _ in 0..<4 { bytes += Self.block } }
      near.finish()
      var last = ContinuousClock.now
      var received = 0
      while case let chunk = try await far.receive(), !chunk.isEmpty {
        received += chunk.count
        if received < 160 << 10 || received < 1 << 20 && received % (100 << 10) < chunk.count {
          try await sleep(for: patience / 5)
        }
        longest = max(longest, .now - last)
        last = .now
      }
      if longest < patience / 2 {
        #expect(reports == 0)
        #expect(received == 4 * Self.block.count)
      }
    }
  }

  @Test func aPeerThatClosesIsReportedOnce() async throws {
    let (near, far) = try StreamSocket.ends()
    var reports = 0
    near.onHangUp = { reports += 1 }
    far.close()
    try await eventually("a hang-up") { reports == 1 }
    #expect(!near.isOpen)
    near.send { $0 += "nothing".utf8 }
    #expect(near.queuedBytes == 0)
    #expect(try await near.receive().isEmpty)
    #expect(reports == 1)
  }

  /// The end of the stream is not the end of the connection.
  @Test func aPeerThatShutsDownItsOutputStillReads() async throws {
    let (own, other) = try StreamSocket.pair()
    let far = try StreamSocket(other)
    var reports = 0
    own.onHangUp = { reports += 1 }
    shutdown(other.number, Int32(SHUT_WR))
    #expect(try await own.receive().isEmpty)
    #expect(own.isOpen)
    own.send { $0 += "still here".utf8 }
    own.finish()
    #expect(try await far.rest() == Array("still here".utf8))
    #expect(reports == 0)
  }

  /// The kernel would report a reset connection otherwise.
  @Test func unreadInputDoesNotHideTheLastBytes() async throws {
    let (near, far) = try StreamSocket.ends()
    far.send { $0 += "unread".utf8 }
    near.send { $0 += "last words".utf8 }
    near.finish()
    #expect(try await far.rest() == Array("last words".utf8))
  }

  @Test func aCancelledTaskReceivesNothing() async throws {
    let (near, far) = try StreamSocket.ends()
    let task = Task.onGLib { try await near.receive() }
    try await sleep(for: .milliseconds(1))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    far.send { $0 += "later".utf8 }
    #expect(try await near.receive() == Array("later".utf8))
  }
}

/// Lines of a peer that may be hostile.
@GLibActor
struct LineReaderTests {
  @Test(arguments: [[], ["a"], ["", "", ""], ["one", "two", ""], ["ä", String(repeating: "x", count: 100_000)]])
  func linesAreSplit(_ lines: [String]) async throws {
    let (near, far) = try StreamSocket.ends()
    far.send { for line in lines { $0 += Array(line.utf8) + [UInt8(ascii: "\n")] } }
    far.finish()
    let reader = LineReader(near, limit: 1 << 20)
    var read: [String] = []
    while let line = try await reader.next() { read.append(String(decoding: line, as: UTF8.self)) }
    #expect(read == lines)
  }

  @Test(arguments: 1...7)
  func chunksDoNotMatter(_ size: Int) {
    let text = Array("one\n\ntwo three\nfour\n".utf8)
    var splitter = LineSplitter()
    var lines: [[UInt8]] = []
    for start in stride(from: 0, to: text.count, by: size) {
      splitter.append(Array(text[start..<min(start + size, text.count)]))
      while let line = splitter.next() { lines.append(line) }
    }
    #expect(lines.map { String(decoding: $0, as: UTF8.self) } == ["one", "", "two three", "four"])
    #expect(splitter.pendingBytes == 0)
  }

  @Test func aLongLineIsRefused() async throws {
    let (near, far) = try StreamSocket.ends()
    far.send { $0 += [UInt8](repeating: 0, count: 1 << 20) }
    var held = 0
    let reader = LineReader(near, limit: 100_000) { held = $0 }
    await #expect(throws: LineReader.Failure.tooLong(limit: 100_000)) { try await reader.next() }
    #expect((100_001...120_000).contains(held))
    let (next, other) = try StreamSocket.ends()
    other.send { $0 += Array("12345\n".utf8) }
    await #expect(throws: LineReader.Failure.tooLong(limit: 4)) { try await LineReader(next, limit: 4).next() }
  }

  @Test func halfALineIsNotWaitedForLong() async throws {
    let (near, far) = try StreamSocket.ends()
    let reader = LineReader(near, limit: 100, patience: .milliseconds(10))
    far.send { $0 += "whole\nhal".utf8 }
    #expect(try await reader.next() == Array("whole".utf8))
    await #expect(throws: LineReader.Failure.unfinished(.milliseconds(10))) { try await reader.next() }
    let (next, other) = try StreamSocket.ends()
    other.send { $0 += "hal".utf8 }
    other.finish()
    await #expect(throws: LineReader.Failure.cutOff) { try await LineReader(next, limit: 100).next() }
  }

  @Test func aRefusalOfTheHolderEndsTheReading() async throws {
    struct NoRoom: Error {}
    let (near, far) = try StreamSocket.ends()
    far.send { $0 += "hal".utf8 }
    let reader = LineReader(near, limit: 100) { _ in throw NoRoom() }
    await #expect(throws: NoRoom.self) { try await reader.next() }
  }
}

extension StreamSocket {
  fileprivate static func ends(patience: Duration = .seconds(300)) throws -> (StreamSocket, StreamSocket) {
    let (own, other) = try pair(patience: patience)
    return (own, try StreamSocket(other))
  }

  /// All bytes up to the end of the stream.
  fileprivate func rest() async throws -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let chunk = try await receive()
      guard !chunk.isEmpty else { return bytes }
      bytes += chunk
    }
  }
}
