import CGLib
import Glibc
import Platform

/// Stands between the bus and GDBus, which makes objects of a message before anybody can refuse it: some 70 bytes for
/// each byte of one that is made for that, and without a bound on how many wait.
///
/// A thread of its own reads from the bus and hands on, through a socket, what is within bounds: little at a time, the
/// senders in turn. What is not within bounds is skipped without being kept, and told of. What is sent takes the direct
/// way.
final class BusRelay: Sendable {
  struct Bounds: Sendable {
    /// Of one message.
    var messageBytes = 20 << 20
    /// Of one message: strings, numbers, structures and whatever else has a type, but for numbers in arrays.
    var messageValues = 100_000
    var underWay = RelayWindow.Bounds()
    var waiting = RelayQueue.Bounds()
  }

  /// A message that was not handed on.
  struct Refusal: Sendable {
    enum Reason: Sendable {
      case tooLarge(bytes: Int, limit: Int)
      case tooManyValues(limit: Int)
      case tooManyMessages
      case malformed
    }

    let reason: Reason
    /// Nil where the header does not tell.
    let sender: String?
    /// The call that waits for an answer; nil for none.
    let serial: UInt32?
  }

  private let bus: Descriptor
  private let inside: Descriptor
  private let dispatched: Descriptor
  private let bounds: Bounds
  private let refuse: @Sendable (Refusal) -> Void

  /// - Parameters:
  ///   - bus: a connection to the bus, past its authentication.
  ///   - inside: what GDBus reads from is the other end of it.
  ///   - refuse: told of each message that is not handed on, on the relay's thread.
  /// - Throws: ``GLibError`` where no descriptor is left.
  init(
    bus: Descriptor, inside: Descriptor, _ bounds: Bounds = Bounds(), refuse: @escaping @Sendable (Refusal) -> Void
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

  /// Hands on messages until either end is closed.
  func start() {
    g_thread_unref(
      startThread {
        self.run()
        // GDBus sees the end of the bus.
        shutdown(self.inside.number, Int32(SHUT_RDWR))
      })
  }

  /// Says that all that came before ``RelayMessage/marker`` has been dispatched.
  func noteDispatched() {
    _ = eventfd_write(dispatched.number, 1)
  }

  /// Takes a ``RelayMessage/marker`` that goes out over `connection` for ``noteDispatched()``: it goes behind all that was
  /// to be sent before. The filter runs on GDBus's own thread.
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

  /// False at the end.
  private func handOn(_ entry: RelayQueue.Entry, _ window: inout RelayWindow) -> Bool {
    switch entry {
    case .message(let message): return handOn(message[...], &window)
    case .refused(let refusal, let answer):
      refuse(refusal)
      // Who waits for this answer need not wait for its deadline.
      return handOn(answer[...], &window)
    }
  }

  private func handOn(_ message: ArraySlice<UInt8>, _ window: inout RelayWindow) -> Bool {
    guard inside.send(message) else { return false }
    window.add(message.count)
    return !window.wantsMarker || inside.send(window.marker())
  }

  /// Takes the next message of `stream`. False at the end.
  private func take(from stream: inout RelayInput, _ queue: inout RelayQueue, _ window: inout RelayWindow) -> Bool {
    guard let head = stream.fill(MessageHead.fixedLength).flatMap({ MessageHead($0) }) else { return false }
    defer { stream.drop(head) }
    switch look(at: head, in: &stream) {
    case .message(let message, let fields):
      let sender = fields.queue(head, message)
      // The usual way: nothing waits, and nothing is copied.
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
    case refused(Refusal.Reason, MessageFields?)
    case end
  }

  private func look(at head: MessageHead, in stream: inout RelayInput) -> Look {
    guard head.headerLength <= bounds.messageBytes else {
      return stream.skip(head.length) ? .refused(.malformed, nil) : .end
    }
    guard let header = stream.fill(head.headerLength) else { return .end }
    let fields = MessageFields(header.prefix(head.headerLength), head.byteOrder)
    guard head.length <= bounds.messageBytes else {
      let reason = Refusal.Reason.tooLarge(bytes: head.length, limit: bounds.messageBytes)
      return stream.skip(head.length) ? .refused(reason, fields) : .end
    }
    guard let message = stream.fill(head.length)?.prefix(head.length) else { return .end }
    guard let fields, head.kind != nil else { return .refused(.malformed, fields) }
    if let reason = fault(message, head, fields) { return .refused(reason, fields) }
    return .message(message, fields)
  }

  private func fault(_ message: ArraySlice<UInt8>, _ head: MessageHead, _ fields: MessageFields) -> Refusal.Reason? {
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

  private func refused(_ reason: Refusal.Reason, _ head: MessageHead, _ fields: MessageFields?) -> RelayQueue.Entry {
    let refusal = Refusal(reason: reason, sender: fields?.sender, serial: head.expectsReply ? head.serial : nil)
    return .refused(refusal, answer: RelayMessage.failure(of: refusal, head, fields) ?? [])
  }
}
