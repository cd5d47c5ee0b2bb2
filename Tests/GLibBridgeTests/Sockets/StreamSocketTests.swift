// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Glibc
import Platform
import TestSupport
import Testing

/// Sockets that never block the actor.
@GLibActor
struct StreamSocketTests {
  private static let block = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)

  /// What the peer does not read stays in the queue.
  @Test func aSlowPeerIsWaitedFor() async throws {
    let (near, far) = try Self.pair()
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
    let (near, far) = try Self.pair()
    near.send { $0 += Self.block }
    near.finish()
    near.send { $0 += "lost".utf8 }
    #expect(try await far.rest() == Self.block)
  }

  @Test func aPeerThatClosesIsReportedOnce() async throws {
    let (near, far) = try Self.pair()
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
    let (near, far) = try Self.pair()
    far.send { $0 += "unread".utf8 }
    near.send { $0 += "last words".utf8 }
    near.finish()
    #expect(try await far.rest() == Array("last words".utf8))
  }

  @Test func aCancelledTaskReceivesNothing() async throws {
    let (near, far) = try Self.pair()
    let task = Task.onGLib { try await near.receive() }
    try await sleep(for: .milliseconds(1))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    far.send { $0 += "later".utf8 }
    #expect(try await near.receive() == Array("later".utf8))
  }

  private static func pair() throws -> (StreamSocket, StreamSocket) {
    let (own, other) = try StreamSocket.pair()
    return (own, try StreamSocket(other))
  }
}

extension StreamSocket {
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
