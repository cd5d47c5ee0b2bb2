// SPDX-License-Identifier: Apache-2.0
import Foundation
import Platform
import Synchronization
import Testing

@testable import GLibBridge

/// Forwarding and rejection of messages.
@GLibActor
struct BusRelayTests {
  @Test func forwardsMessagesWithinTheLimitsUnchanged() async throws {
    let relay = try RelayFixture()
    let messages = (1...100).map { WireBytes.message(serial: $0, signature: "s", body: text("message \($0)")) }
    relay.send(messages.flatMap(\.self))
    for message in messages { #expect(await relay.receive(message.count) == message) }
  }

  @Test func forwardsAMessageThatArrivesInPieces() async throws {
    let relay = try RelayFixture()
    let message = WireBytes.message(signature: "s", body: text("in pieces"))
    for byte in message { relay.send([byte]) }
    #expect(await relay.receive(message.count) == message)
  }

  @Test func rejectsALargeCallAndForwardsTheNext() async throws {
    let relay = try RelayFixture()
    relay.send(WireBytes.message(serial: 1, signature: "s", body: text(String(repeating: "x", count: 300_000))))
    relay.send(
      WireBytes.message(flags: 1, serial: 2, signature: "s", body: text(String(repeating: "x", count: 300_000))))
    let next = WireBytes.message(serial: 3)
    relay.send(next)
    #expect(await relay.receive(next.count) == next)
    let refusals = relay.refusals.withLock(\.self)
    #expect(refusals.map(\.sender) == [":1.5", ":1.5"])
    // The second call expects no reply.
    #expect(refusals.map(\.serial) == [1, nil])
    #expect(refusals.allSatisfy { if case .tooLarge = $0.reason { true } else { false } })
  }

  @Test func rejectsACallWithTooManyValues() async throws {
    let relay = try RelayFixture()
    let body = WireBytes.body { $0.array(alignment: 4) { strings in for _ in 0..<2000 { strings.string("") } } }
    relay.send(WireBytes.message(serial: 9, signature: "as", body: body))
    let next = WireBytes.message(serial: 3)
    relay.send(next)
    #expect(await relay.receive(next.count) == next)
    let refusals = relay.refusals.withLock(\.self)
    #expect(refusals.map(\.serial) == [9])
    #expect(refusals.allSatisfy { if case .tooManyValues = $0.reason { true } else { false } })
  }

  @Test func replacesALargeReplyByAnError() async throws {
    let relay = try RelayFixture()
    relay.send(
      WireBytes.message(kind: 2, replySerial: 42, signature: "s", body: text(String(repeating: "x", count: 300_000))))
    let answer = await relay.receiveMessage()
    #expect(answer.head.kind == .error)
    #expect(answer.fields.replySerial == 42)
    #expect(answer.fields.sender == ":1.5")
  }

  @Test func stopsForwardingWhileTheWindowIsFull() async throws {
    let relay = try RelayFixture()
    let message = WireBytes.message(signature: "s", body: text(String(repeating: "x", count: 90_000)))
    relay.send(message + message)
    for _ in 0..<2 {
      #expect(await relay.receive(message.count) == message)
      #expect(await relay.receive(RelayMessage.marker.count) == RelayMessage.marker)
    }
    let next = WireBytes.message(serial: 3)
    relay.send(next)
    #expect(!relay.hasMore)
    relay.relay.noteDispatched()
    #expect(await relay.receive(next.count) == next)
  }

  /// Many messages of one sender delay another sender by one message only.
  @Test func sendersTakeTurns() async throws {
    let relay = try RelayFixture(RelayWindow.Bounds(messages: 1, bytes: 150_000))
    let crowd = (1...50).map { WireBytes.message(serial: $0, sender: ":1.6") }
    let other = WireBytes.message(serial: 1, sender: ":1.7")
    relay.send(crowd.flatMap(\.self) + other)
    #expect(await relay.receive(crowd[0].count) == crowd[0])
    #expect(!relay.hasMoreThan(RelayMessage.marker))
    for message in [crowd[1], other, crowd[2], crowd[3]] {
      relay.relay.noteDispatched()
      #expect(await relay.receive(message.count) == message)
      #expect(await relay.receive(RelayMessage.marker.count) == RelayMessage.marker)
    }
  }

  /// NameOwnerChanged is forwarded after the messages of the peer that left, and does not wait for other peers.
  @Test func forwardsNameOwnerChangedAfterThePeersMessages() async throws {
    let relay = try RelayFixture(RelayWindow.Bounds(messages: 1, bytes: 150_000))
    let calls = (1...3).map { WireBytes.message(serial: $0, sender: ":1.6") }
    let changes = [[":1.6", ":1.6", ""], [":1.8", "", ":1.8"]].map { names in
      WireBytes.message(
        kind: 4, sender: busName, member: "NameOwnerChanged", signature: "sss",
        body: WireBytes.body { body in for name in names { body.string(name) } })
    }
    relay.send((calls + changes).flatMap(\.self))
    #expect(await relay.receive(calls[0].count) == calls[0])
    #expect(!relay.hasMoreThan(RelayMessage.marker))
    for message in [calls[1], changes[1], calls[2], changes[0]] {
      relay.relay.noteDispatched()
      #expect(await relay.receive(message.count) == message)
      #expect(await relay.receive(RelayMessage.marker.count) == RelayMessage.marker)
    }
  }

  @Test func rejectsMessagesAboveTheSendersLimit() async throws {
    let bounds = RelayQueue.Bounds(ofSender: 20_000, ofAll: 100_000, share: 1000)
    let relay = try RelayFixture(RelayWindow.Bounds(messages: 1, bytes: 150_000), bounds)
    let first = WireBytes.message(serial: 1, sender: ":1.6")
    let calls = (2...4).map {
      WireBytes.message(serial: $0, sender: ":1.6", signature: "s", body: text(String(repeating: "x", count: 9000)))
    }
    relay.send(first + calls.flatMap(\.self))
    #expect(await relay.receive(first.count) == first)
    #expect(!relay.hasMoreThan(RelayMessage.marker))
    for message in calls[..<2] {
      relay.relay.noteDispatched()
      #expect(await relay.receive(message.count) == message)
      #expect(await relay.receive(RelayMessage.marker.count) == RelayMessage.marker)
    }
    relay.relay.noteDispatched()
    #expect(await relay.receive(RelayMessage.marker.count) == RelayMessage.marker)
    #expect(relay.refusals.withLock(\.self).map(\.serial) == [4])
  }

  @Test func endsWhenTheBusCloses() async throws {
    let relay = try RelayFixture()
    relay.hangUp()
    #expect(await relay.receive(1) == [])
  }

  private func text(_ text: String) -> [UInt8] {
    WireBytes.body { $0.string(text) }
  }
}

/// A relay between two socket pairs, whose other ends the test holds.
@GLibActor
private final class RelayFixture {
  let relay: BusRelay
  let refusals: Arrivals
  private let bus: Descriptor
  private let gdbus: Descriptor
  private let writer = DispatchQueue(label: "bus")

  /// Shared with the relay's thread.
  final class Arrivals: Sendable {
    private let list = Mutex<[BusRelay.RejectedMessage]>([])
    func append(_ refusal: BusRelay.RejectedMessage) { list.withLock { $0.append(refusal) } }
    func withLock<T: Sendable>(_ body: @Sendable ([BusRelay.RejectedMessage]) -> T) -> T { list.withLock { body($0) } }
  }

  init(
    _ window: RelayWindow.Bounds = RelayWindow.Bounds(messages: 1000, bytes: 150_000),
    _ queue: RelayQueue.Bounds = RelayQueue.Bounds()
  ) throws {
    let (farBus, nearBus) = try Self.pair()
    let (inside, outside) = try Self.pair()
    let refusals = Arrivals()
    let bounds = BusRelay.Bounds(messageBytes: 100_000, messageValues: 1000, underWay: window, waiting: queue)
    relay = try BusRelay(bus: nearBus, inside: inside, bounds) { refusals.append($0) }
    self.refusals = refusals
    bus = farBus
    gdbus = outside
    relay.start()
  }

  private static func pair() throws -> (Descriptor, Descriptor) {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    return (try #require(Descriptor(owning: ends[0])), try #require(Descriptor(owning: ends[1])))
  }

  func send(_ bytes: [UInt8]) {
    // The socket is full until the test reads from the other end.
    writer.async { [bus] in _ = bus.send(bytes[...]) }
  }

  func hangUp() { shutdown(bus.number, Int32(SHUT_RDWR)) }

  /// Whether more bytes arrive after everything was sent.
  var hasMore: Bool {
    writer.sync {}
    var waiting = pollfd(fd: gdbus.number, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, 100) > 0
  }

  /// Whether bytes other than `bytes` arrive after everything was sent.
  func hasMoreThan(_ bytes: [UInt8]) -> Bool {
    writer.sync {}
    guard hasMore else { return false }
    var found = [UInt8](repeating: 0, count: bytes.count)
    return recv(gdbus.number, &found, found.count, 0) != bytes.count || found != bytes || hasMore
  }

  /// Receives `count` bytes, or fewer at the end of the stream.
  func receive(_ count: Int) async -> [UInt8] {
    let gdbus = gdbus
    return await offActor {
      var bytes = [UInt8](repeating: 0, count: count)
      var filled = 0
      while filled < count {
        let got = bytes.withUnsafeMutableBytes { read(gdbus.number, $0.baseAddress! + filled, count - filled) }
        guard got > 0 else { break }
        filled += got
      }
      return Array(bytes.prefix(filled))
    }
  }

  func receiveMessage() async -> (head: MessageHead, fields: MessageFields) {
    let start = await receive(MessageHead.fixedLength)
    let head = MessageHead(start[...])!
    let rest = await receive(head.length - start.count)
    return (head, MessageFields((start + rest).prefix(head.headerLength), head.byteOrder)!)
  }
}
