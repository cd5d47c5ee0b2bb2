import CGLib
import Glibc

/// Stands between the bus and GDBus, which makes objects of a message before anybody can refuse it: some 70 bytes for
/// each byte of one that is made for that, and without a bound on how many wait.
///
/// A thread of its own reads from the bus and hands on, through a socket, what is within bounds. What is not is skipped
/// without being kept, and told of. What is sent takes the direct way.
final class BusInlet: Sendable {
  struct Bounds: Sendable {
    /// Of one message.
    var messageBytes = 20 << 20
    /// Of one message: strings, numbers, structures and whatever else has a type, but for numbers in arrays.
    var messageValues = 100_000
    /// What may wait in GDBus and in the actor's context, with a kibibyte for each message.
    var waitingBytes = 8 << 20
  }

  /// A message that was not handed on.
  struct Refusal: Sendable {
    enum Reason: Sendable {
      case tooLarge(bytes: Int, limit: Int)
      case tooManyValues(limit: Int)
      case malformed
    }

    let reason: Reason
    /// Nil where the header does not tell.
    let sender: String?
    /// The call that waits for an answer; nil for none.
    let serial: UInt32?
  }

  private static let weightOfMessage = 1024

  private let bus: Descriptor
  private let inside: Descriptor
  private let dispatched: Descriptor
  private let bounds: Bounds
  private let refuse: @Sendable (Refusal) -> Void

  /// - Parameters:
  ///   - bus: a connection to the bus, past its authentication.
  ///   - inside: what GDBus reads from is the other end of it.
  ///   - refuse: told of each message that is not handed on, on the inlet's thread.
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

  /// Says that all that came before ``LocalMessage/marker`` has been dispatched.
  func noteDispatched() {
    _ = eventfd_write(dispatched.number, 1)
  }

  private func run() {
    var stream = InletStream(bus, closedWith: inside)
    var waiting = 0
    while let head = stream.fill(MessageHead.fixedLength).flatMap({ MessageHead($0) }) {
      switch take(head, from: &stream) {
      case .message(let message):
        guard inside.send(message) else { return }
        waiting += message.count + Self.weightOfMessage
      case .refused(let refusal):
        refuse(refusal)
        // Who waits for this answer need not wait for its deadline.
        if let answer = LocalMessage.failure(of: refusal, head, stream.fields) {
          guard inside.send(answer[...]) else { return }
        }
      case .end: return
      }
      stream.drop(head)
      if waiting > bounds.waitingBytes {
        guard inside.send(LocalMessage.marker[...]), stream.wait(for: dispatched) else { return }
        waiting = 0
      }
    }
  }

  private enum Taken {
    case message(ArraySlice<UInt8>)
    case refused(Refusal)
    case end
  }

  private func take(_ head: MessageHead, from stream: inout InletStream) -> Taken {
    stream.fields = nil
    guard head.headerLength <= bounds.messageBytes else {
      return stream.skip(head.length) ? .refused(refusal(.malformed, head, nil)) : .end
    }
    guard let header = stream.fill(head.headerLength) else { return .end }
    stream.fields = MessageFields(header.prefix(head.headerLength), head.byteOrder)
    guard head.length <= bounds.messageBytes else {
      let reason = Refusal.Reason.tooLarge(bytes: head.length, limit: bounds.messageBytes)
      return stream.skip(head.length) ? .refused(refusal(reason, head, stream.fields)) : .end
    }
    guard let message = stream.fill(head.length)?.prefix(head.length) else { return .end }
    guard let reason = fault(message, head, stream.fields) else { return .message(message) }
    return .refused(refusal(reason, head, stream.fields))
  }

  private func fault(_ message: ArraySlice<UInt8>, _ head: MessageHead, _ fields: MessageFields?) -> Refusal.Reason? {
    guard let fields, head.kind != nil else { return .malformed }
    do throws(BodyCheck.Fault) {
      try BodyCheck.check(
        message.dropFirst(head.headerLength), head.byteOrder, signature: fields.signature,
        valueLimit: bounds.messageValues)
      return nil
    } catch .tooManyValues {
      return .tooManyValues(limit: bounds.messageValues)
    } catch {
      return .malformed
    }
  }

  private func refusal(_ reason: Refusal.Reason, _ head: MessageHead, _ fields: MessageFields?) -> Refusal {
    Refusal(reason: reason, sender: fields?.sender, serial: head.expectsReply ? head.serial : nil)
  }
}
