// SPDX-License-Identifier: Apache-2.0
import CGLib
import Glibc
import Synchronization

@testable import GLibBridge

/// What GDBus reads of the messages of a bus.
struct MessageGuardTests {
  /// However the input is cut, and however little is read at a time.
  @Test(arguments: [1, 3, 15, 16, 17, 64, 100_000], [1, 16, 100_000])
  func messagesWithinTheLimitsPassUnchanged(piece: Int, room: Int) throws {
    let messages = (1...20).map { WireBytes.message(serial: $0, signature: "s", body: text("message \($0)")) }
    let guarded = Guarded()
    #expect(try guarded.convert(messages.flatMap(\.self), inPiecesOf: piece, room: room) == messages.flatMap(\.self))
    #expect(guarded.rejected.isEmpty)
  }

  @Test(arguments: [1, 1000, 1_000_000]) func whatIsTooLargeIsSkipped(piece: Int) throws {
    let guarded = Guarded()
    let large = String(repeating: "x", count: 120_000)
    let next = WireBytes.message(serial: 3)
    let input = [
      WireBytes.message(serial: 1, signature: "s", body: text(large)),
      // This call expects no reply.
      WireBytes.message(flags: 1, serial: 2, signature: "s", body: text(large)),
      WireBytes.message(serial: 8, member: large), WireBytes.message(serial: 9, signature: "as", body: strings(2000)),
      next,
    ]
    #expect(try guarded.convert(input.flatMap(\.self), inPiecesOf: piece) == next)
    #expect(guarded.rejected.map(\.sender) == [":1.5", ":1.5", ":1.5", ":1.5"])
    #expect(guarded.rejected.map(\.serial) == [1, nil, 8, 9])
    #expect(guarded.rejected.dropLast().allSatisfy { if case .tooLarge = $0.reason { true } else { false } })
    #expect(guarded.rejected.last.map { if case .tooManyValues = $0.reason { true } else { false } } == true)
  }

  /// The check of a rejected message takes time as well.
  @Test func rejectedValuesCount() throws {
    let guarded = Guarded(perSecond: ValueBudget.Bounds(ofSender: 1500, ofAll: 10_000, share: 10))
    let input = WireBytes.message(serial: 1, signature: "as", body: strings(1000))
    _ = try guarded.convert(input + WireBytes.message(serial: 2, signature: "as", body: strings(999)))
    #expect(guarded.rejected.map(\.serial) == [1, 2])
    #expect(guarded.rejected.last.map { if case .tooManyValuesPerSecond = $0.reason { true } else { false } } == true)
  }

  @Test func theValuesOfASecondAreShared() {
    var budget = ValueBudget(ValueBudget.Bounds(ofSender: 100, ofAll: 150, share: 10))
    let steps: [(sender: String, now: Int, rest: Int)] = [
      (":1.5", 0, 100), (":1.5", 1, 0), (":1.6", 2, 50),
      // The share of a sender is always there.
      (":1.7", 3, 10), (":1.7", 4, 0), (":1.5", 1_000_000, 100),
    ]
    for step in steps {
      let rest = budget.rest(of: step.sender, now: step.now)
      #expect(rest == step.rest, "\(step)")
      budget.spend(rest, of: step.sender)
    }
  }

  @Test(arguments: [1, 1000]) func anErrorTakesThePlaceOfALargeReply(room: Int) throws {
    let guarded = Guarded()
    let reply = WireBytes.message(
      kind: 2, replySerial: 42, signature: "s", body: text(String(repeating: "x", count: 300_000)))
    let next = WireBytes.message(serial: 3)
    let output = try guarded.convert(reply + next, inPiecesOf: 5000, room: room)
    let head = try MessageHead(output[...])
    let fields = try MessageFields(output.prefix(head.headerLength), head.byteOrder)
    #expect(head.kind == .error)
    #expect(fields.replySerial == 42)
    #expect(fields.sender == ":1.5")
    #expect(Array(output.dropFirst(head.length)) == next)
  }

  @Test func whatIsNoMessageEndsTheStream() {
    #expect(throws: MessageGuard.InvalidStream.self) { try Guarded().convert(Array("GET / HTTP/1.1\r\n\r\n".utf8)) }
  }

  /// GDBus asks for the first bytes of a message, then for its rest, and waits only while the bus has sent nothing.
  @Test func theStreamGivesAMessageInTwoReads() throws {
    let stream = try GuardedBus()
    let message = WireBytes.message(signature: "s", body: text(String(repeating: "x", count: 20_000)))
    for half in [message.prefix(10_000), message.dropFirst(10_000)] {
      #expect(stream.read(16) == nil)
      stream.send(Array(half))
    }
    #expect(stream.read(16) == Array(message.prefix(16)))
    #expect(g_pollable_input_stream_is_readable(OpaquePointer(stream.input)) != 0)
    #expect(stream.read(message.count - 16) == Array(message.dropFirst(16)))
    #expect(stream.read(16) == nil)
    shutdown(stream.bus.number, Int32(SHUT_RDWR))
    #expect(stream.read(16) == [])
  }

  private func text(_ text: String) -> [UInt8] { WireBytes.body { $0.string(text) } }

  private func strings(_ count: Int) -> [UInt8] {
    WireBytes.body { $0.array(alignment: 4) { strings in for _ in 0..<count { strings.string("") } } }
  }
}

/// A guard of small messages, and what it has rejected.
private final class Guarded: Sendable {
  private let bounds: MessageGuard.Bounds
  private let list = Mutex<[RejectedMessage]>([])
  var rejected: [RejectedMessage] { list.withLock(\.self) }

  init(perSecond: ValueBudget.Bounds = ValueBudget.Bounds()) {
    bounds = MessageGuard.Bounds(messageBytes: 100_000, messageValues: 1000, perSecond: perSecond)
  }

  /// Converts `bytes` as GConverterInputStream does: it asks for no output while it has no input.
  func convert(_ bytes: [UInt8], inPiecesOf piece: Int = .max, room: Int = 4096) throws -> [UInt8] {
    var messages = MessageGuard(bounds) { message in
      self.list.withLock { $0.append(message) }
    }
    var converted: [UInt8] = []
    var input: [UInt8] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let next = rest.prefix(piece)
      rest = rest.dropFirst(next.count)
      input += next
      while !input.isEmpty {
        var output = [UInt8](repeating: 0, count: room)
        let (read, written) = try input.withUnsafeBytes { from in
          try output.withUnsafeMutableBytes { to in
            var left = from[...]
            var free = to[...]
            try messages.convert(&left, into: &free)
            return (from.count - left.count, to.count - free.count)
          }
        }
        converted += output.prefix(written)
        input.removeFirst(read)
        if read == 0, written == 0 { break }
      }
    }
    return converted
  }
}
