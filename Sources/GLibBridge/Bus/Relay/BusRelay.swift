// SPDX-License-Identifier: Apache-2.0
import CGLib
import Glibc
import Platform

/// A relay between the bus and GDBus, which limits incoming messages. GDBus allocates objects for a message before the
/// message can be rejected, up to 70 bytes for each byte of a malicious one, and it queues without a bound.
///
/// A thread of the relay reads from the bus and forwards messages within the limits through a socket: a small window at
/// a time, with the senders taking turns. Other messages are skipped without being stored, and reported. Outgoing
/// messages bypass the relay.
final class BusRelay: Sendable {
  struct Bounds: Sendable {
    /// The maximum size of one message, in bytes.
    var messageBytes = 20 << 20
    /// The maximum number of values in one message. The elements of an array of numbers do not count.
    var messageValues = 100_000
    var underWay = RelayWindow.Bounds()
    var waiting = RelayQueue.Bounds()
  }

  /// A rejected message.
  struct RejectedMessage: Sendable {
    enum Reason: Sendable {
      case tooLarge(bytes: Int, limit: Int)
      case tooManyValues(limit: Int)
      case tooManyMessages
      case malformed
    }

    let reason: Reason
    /// The sender; nil when the header cannot be read.
    let sender: String?
    /// The serial of the call that expects a reply; nil for other messages.
    let serial: UInt32?
  }

  private let bus: Descriptor
  private let inside: Descriptor
  private let dispatched: Descriptor
  private let bounds: Bounds
  private let refuse: @Sendable (RejectedMessage) -> Void

  /// - Parameters:
  ///   - bus: a connection to the bus, after authentication.
  ///   - inside: one end of a socket pair; GDBus reads from the other end.
  ///   - refuse: called with each rejected message, on the relay's thread.
  /// - Throws: ``GLibError`` when no descriptor is left.
  init(
    bus: Descriptor, inside: Descriptor, _ bounds: Bounds = Bounds(),
    refuse: @escaping @Sendable (RejectedMessage) -> Void
  ) throws {
    guard let dispatched = Descriptor(owning: eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))) else {
      throw GLibError(errno: errno)
    }
    self.bus = bus
    self.inside = inside
    self.dispatched = dispatched
    self.bounds = bounds
    self.refuse = refuse
  }

  /// Starts forwarding, until either end is closed.
  func start() {
    g_thread_unref(
      startThread {
        self.run()
        // GDBus sees the end of the stream.
        shutdown(self.inside.number, Int32(SHUT_RDWR))
      })
  }

  /// Reports that all messages before a ``RelayMessage/marker`` have been dispatched.
  func noteDispatched() {
    _ = eventfd_write(dispatched.number, 1)
  }

  /// Calls ``noteDispatched()`` when a ``RelayMessage/marker`` is sent over `connection`. The marker is sent after all
  /// queued replies. The filter runs on GDBus's worker thread.
  func watch(_ connection: OpaquePointer) {
    g_dbus_connection_add_filter(
      connection,
      { _, message, isIncoming, data in
        if isIncoming == 0, RelayMessage.isMarker(message) { CallbackBox<BusRelay>.of(data).closure.noteDispatched() }
        return message
      }, CallbackBox(self).retained, CallbackBox<BusRelay>.release)
  }

  private func run() {
    var stream = RelayInput(bus, closedWith: inside)
    var queue = RelayQueue(bounds.waiting)
    var window = RelayWindow(bounds.underWay)
    while true {
      while !window.isFull, let entry = queue.popFirst() { guard handOn(entry, &window) else { return } }
      switch stream.wait(for: window.isFull ? dispatched : nil, orMessage: !queue.isFull) {
      case .message: guard take(from: &stream, &queue, &window) else { return }
      case .event(let markers): window.dispatched(markers)
      case .end: return
      }
    }
  }

  /// Forwards an entry. False when the socket is closed.
  private func handOn(_ entry: RelayQueue.Entry, _ window: inout RelayWindow) -> Bool {
    switch entry {
    case .message(let message): return handOn(message[...], &window)
    case .refused(let refusal, let answer):
      refuse(refusal)
      // A caller that waits for this reply receives an error at once instead of a timeout.
      return handOn(answer[...], &window)
    }
  }

  private func handOn(_ message: ArraySlice<UInt8>, _ window: inout RelayWindow) -> Bool {
    guard inside.send(message) else { return false }
    window.add(message.count)
    return !window.wantsMarker || inside.send(window.marker())
  }

  /// Reads and forwards or queues the next message. False at the end of the stream.
  private func take(from stream: inout RelayInput, _ queue: inout RelayQueue, _ window: inout RelayWindow) -> Bool {
    guard let head = stream.fill(MessageHead.fixedLength).flatMap({ MessageHead($0) }) else { return false }
    defer { stream.drop(head) }
    switch look(at: head, in: &stream) {
    case .message(let message, let fields):
      let sender = fields.queue(head, message)
      // The common case: nothing is queued, and nothing is copied.
      if queue.isEmpty, !window.isFull { return handOn(message, &window) }
      if queue.hasRoom(for: message.count, from: sender) || head.isAnswer {
        queue.append(.message(Array(message)), from: sender)
      } else {
        queue.append(refused(.tooManyMessages, head, fields), from: sender)
      }
      return true
    case .refused(let reason, let fields):
      queue.append(refused(reason, head, fields), from: fields?.sender ?? "")
      return true
    case .end: return false
    }
  }

  private enum Look {
    case message(ArraySlice<UInt8>, MessageFields)
    case refused(RejectedMessage.Reason, MessageFields?)
    case end
  }

  private func look(at head: MessageHead, in stream: inout RelayInput) -> Look {
    guard head.headerLength <= bounds.messageBytes else {
      return stream.skip(head.length) ? .refused(.malformed, nil) : .end
    }
    guard let header = stream.fill(head.headerLength) else { return .end }
    let fields = MessageFields(header.prefix(head.headerLength), head.byteOrder)
    guard head.length <= bounds.messageBytes else {
      let reason = RejectedMessage.Reason.tooLarge(bytes: head.length, limit: bounds.messageBytes)
      return stream.skip(head.length) ? .refused(reason, fields) : .end
    }
    guard let message = stream.fill(head.length)?.prefix(head.length) else { return .end }
    guard let fields, head.kind != nil else { return .refused(.malformed, fields) }
    if let reason = fault(message, head, fields) { return .refused(reason, fields) }
    return .message(message, fields)
  }

  private func fault(_ message: ArraySlice<UInt8>, _ head: MessageHead, _ fields: MessageFields) -> RejectedMessage
    .Reason?
  {
    do throws(BodyValidation.Fault) {
      try BodyValidation.check(
        message.dropFirst(head.headerLength), head.byteOrder, signature: fields.signature,
        valueLimit: bounds.messageValues)
      return nil
    } catch .tooManyValues {
      return .tooManyValues(limit: bounds.messageValues)
    } catch {
      return .malformed
    }
  }

  private func refused(_ reason: RejectedMessage.Reason, _ head: MessageHead, _ fields: MessageFields?)
    -> RelayQueue.Entry
  {
    let refusal = RejectedMessage(reason: reason, sender: fields?.sender, serial: head.expectsReply ? head.serial : nil)
    return .refused(refusal, answer: RelayMessage.failure(of: refusal, head, fields) ?? [])
  }
}
