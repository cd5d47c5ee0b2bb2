import CGLib
import Synchronization

/// Takes the method calls of a connection before GDBus sees them.
///
/// GDBus would hand each over as a source of its own, in the order in which they came and without a bound: who sends
/// ten thousand calls makes everybody wait for them. It would also answer `Introspect` itself, to anybody.
///
/// ``take(_:_:)`` runs on GDBus's own thread; everything else on the actor.
final class CallInbox: Sendable {
  private struct State {
    var queue = FairQueue<IncomingCall>()
    /// Callers whose group somebody has to find out.
    var strangers: [String] = []
    var refusal = BusError(
      name: "org.freedesktop.DBus.Error.LimitsExceeded", message: "Too many calls wait for their answers.")
    var isAwake = false
  }

  private let state = Mutex(State())
  private let wake: @Sendable () -> Void

  /// - Parameter wake: called when there is something to do, until ``sleep()`` says that it was done.
  init(wake: @escaping @Sendable () -> Void) {
    self.wake = wake
  }

  /// Has each caller's group found out, and calls above the limits answered with `refusal`.
  func useGroups(refusal: BusError) {
    state.withLock { state in
      state.queue.hasGroups = true
      state.refusal = refusal
    }
  }

  /// Has the messages of a connection go through ``take(_:_:)``, and returns the number of the filter.
  func attach(to connection: OpaquePointer) -> UInt32 {
    g_dbus_connection_add_filter(
      connection,
      { connection, message, isIncoming, data in
        guard isIncoming != 0, let message, let connection else { return message }
        return CallbackBox<CallInbox>.of(data).closure.take(message, connection)
      }, CallbackBox(self).retained, CallbackBox<CallInbox>.release)
  }

  /// Takes a message that came in; returns it when it is not for here.
  func take(_ message: OpaquePointer, _ connection: OpaquePointer) -> OpaquePointer? {
    guard g_dbus_message_get_message_type(message) == G_DBUS_MESSAGE_TYPE_METHOD_CALL else { return message }
    // GDBus answers these itself, at every path alike.
    if let interface = g_dbus_message_get_interface(message), strcmp(interface, "org.freedesktop.DBus.Peer") == 0 {
      return message
    }
    let call = IncomingCall(owning: message)
    if call.hasDescriptors {
      // They are this process's now, and go with the message: whoever sends many would leave it none.
      call.fail(
        BusError(name: "org.freedesktop.DBus.Error.InvalidArgs", message: "No method takes a file descriptor."),
        on: connection)
    } else if let refusal = refusal(of: call) {
      call.fail(refusal, on: connection)
    }
    return nil
  }

  /// Nil for a call that was taken.
  private func refusal(of call: IncomingCall) -> BusError? {
    let sender = call.sender
    let refusal: BusError? = state.withLock { state in
      switch state.queue.add(call, bytes: call.byteCount, from: sender) {
      case .refused: return state.refusal
      case .admitted: break
      case .admittedFromStranger: state.strangers.append(sender)
      }
      return nil
    }
    if refusal == nil { wakeUp() }
    return refusal
  }

  private func wakeUp() {
    let wasAwake = state.withLock { state in
      defer { state.isAwake = true }
      return state.isAwake
    }
    if !wasAwake { wake() }
  }

  // MARK: On the actor

  /// Callers whose group has to be found out.
  func takeStrangers() -> [String] {
    state.withLock { state in
      defer { state.strangers = [] }
      return state.strangers
    }
  }

  func assign(_ caller: String, to group: String, isLasting: Bool) {
    state.withLock { $0.queue.assign(caller, to: group, isLasting: isLasting) }
    wakeUp()
  }

  func forget(_ caller: String) {
    state.withLock { $0.queue.forget(caller) }
  }

  func next() -> FairQueue<IncomingCall>.Served? {
    state.withLock { $0.queue.next() }
  }

  func done(_ call: FairQueue<IncomingCall>.Served) {
    state.withLock { $0.queue.done(call) }
  }

  /// Whether nothing came meanwhile; the next call wakes up again.
  func sleep() -> Bool {
    state.withLock { state in
      guard state.strangers.isEmpty, !state.queue.canServe else { return false }
      state.isAwake = false
      return true
    }
  }
}
