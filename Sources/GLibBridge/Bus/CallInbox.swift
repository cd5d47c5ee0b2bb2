// SPDX-License-Identifier: Apache-2.0
import CGLib
import Synchronization

/// The queue of incoming method calls of a connection. It takes them before GDBus does.
///
/// GDBus would dispatch each call as an event source of its own, in order of arrival and without a bound, so one caller
/// with ten thousand calls would delay all others. It would also reply to `Introspect` itself, for every caller.
///
/// ``take(_:_:)`` runs on GDBus's worker thread, everything else on the actor.
final class CallInbox: Sendable {
  private struct State {
    var queue = FairQueue<IncomingCall>()
    /// Callers whose group must be looked up.
    var unassigned: [String] = []
    /// The calls above the limits, in order of arrival. Each is refused when its turn comes. Refused at once, a caller
    /// would repeat it at once, and the replies to others would wait behind the errors.
    var refused: ArraySlice<Refused> = []
    var refusals: BusObjects.Refusals = (
      calls: .ofBus("LimitsExceeded", "Too many calls are pending."),
      files: .ofBus("LimitsExceeded", "Too many files wait to be read.")
    )
    /// The methods that take files, such as `org.example.Interface.Method`.
    var methodsWithFiles: Set<String> = []
    var isAwake = false

    /// Queues a call, or its refusal; returns the error of a call that is refused at once.
    mutating func add(_ call: IncomingCall) -> BusError? {
      if call.hasDescriptors {
        let method = "\(call.interface).\(call.member)"
        guard call.files.count > 0, methodsWithFiles.contains(method) else {
          return .ofBus("InvalidArgs", "\(method) takes no file descriptor.")
        }
      }
      switch queue.add(call, bytes: call.byteCount, files: call.files.count, from: call.sender) {
      case .admitted: return nil
      case .admittedFromUnassigned:
        unassigned.append(call.sender)
        return nil
      case .refused: return refuse(call, refusals.calls)
      case .refusedForFiles: return refuse(call, refusals.files)
      }
    }

    private mutating func refuse(_ call: IncomingCall, _ error: BusError) -> BusError? {
      guard refused.count < CallInbox.refusedLimit else { return error }
      if call.expectsReply {
        refused.append((CallOrigin(sender: call.sender, serial: call.serial), error))
      }
      return nil
    }
  }

  /// A call that waits for its refusal.
  typealias Refused = (call: CallOrigin, error: BusError)

  /// The maximum number of calls that wait for their refusal. Further calls are refused at once.
  private static let refusedLimit = 1 << 15

  private let state = Mutex(State())
  /// Nil on a connection that GDBus reads itself. Then no call may have files.
  private let files: MessageFiles?
  private let wake: @Sendable () -> Void

  /// - Parameter wake: called when calls are queued. It is not called again until ``sleep()`` has returned true.
  init(_ files: MessageFiles?, wake: @escaping @Sendable () -> Void) {
    self.files = files
    self.wake = wake
  }

  /// Turns on the lookup of groups. Calls above the limits receive `refusals`.
  func useGroups(_ refusals: BusObjects.Refusals, methodsWithFiles: Set<String>) {
    state.withLock { state in
      state.queue.hasGroups = true
      state.refusals = refusals
      state.methodsWithFiles = methodsWithFiles
    }
  }

  /// Installs the message filter on a connection.
  ///
  /// - Returns: the ID of the filter.
  func attach(to connection: OpaquePointer) -> UInt32 {
    defer { files?.open() }
    return g_dbus_connection_add_filter(
      connection,
      { connection, message, isIncoming, data in
        guard isIncoming != 0, let message, let connection else { return message }
        return CallbackBox<CallInbox>.of(data).closure.take(message, connection)
      }, CallbackBox(self).retained, CallbackBox<CallInbox>.release)
  }

  func detach(_ filter: UInt32, from connection: OpaquePointer) {
    g_dbus_connection_remove_filter(connection, filter)
    files?.close()
  }

  /// Takes an incoming message. Returns the message when it is not a call for the exported objects.
  func take(_ message: OpaquePointer, _ connection: OpaquePointer) -> OpaquePointer? {
    guard g_dbus_message_get_message_type(message) == G_DBUS_MESSAGE_TYPE_METHOD_CALL else { return message }
    let files = CallFiles(files?.take(g_dbus_message_get_num_unix_fds(message)) ?? [])
    // GDBus implements this interface itself, at every path.
    if let interface = g_dbus_message_get_interface(message), strcmp(interface, "org.freedesktop.DBus.Peer") == 0 {
      return message
    }
    let call = IncomingCall(owning: message, files)
    if let refusal = state.withLock({ $0.add(call) }) {
      call.fail(refusal, on: connection)
    } else {
      wakeUp()
    }
    return nil
  }

  private func wakeUp() {
    let wasAwake = state.withLock { state in
      defer { state.isAwake = true }
      return state.isAwake
    }
    if !wasAwake { wake() }
  }

  // MARK: On the actor

  /// Removes and returns the callers whose group must be looked up.
  func takeUnassignedCallers() -> [String] {
    state.withLock { state in
      defer { state.unassigned = [] }
      return state.unassigned
    }
  }

  func assign(_ caller: String, to group: String, isLasting: Bool) {
    state.withLock { $0.queue.assign(caller, to: group, isLasting: isLasting) }
    wakeUp()
  }

  func forget(_ caller: String) {
    state.withLock { $0.queue.forget(caller) }
  }

  /// Whether no call is queued or running.
  var isEmpty: Bool { state.withLock { $0.queue.pendingCalls == 0 && $0.refused.isEmpty } }

  func next() -> FairQueue<IncomingCall>.Served? {
    state.withLock { $0.queue.next() }
  }

  /// Removes and returns at most `count` calls that are refused.
  func takeRefused(_ count: Int) -> [Refused] {
    state.withLock { state in
      // A copy: the queue would be copied at its next change.
      let calls = Array(state.refused.prefix(count))
      state.refused.removeFirst(calls.count)
      if state.refused.isEmpty { state.refused = [] }
      return calls
    }
  }

  func done(_ call: FairQueue<IncomingCall>.Served) {
    state.withLock { $0.queue.done(call) }
  }

  /// Whether the queue is empty; the next call then wakes up the actor again.
  func sleep() -> Bool {
    state.withLock { state in
      guard state.unassigned.isEmpty, state.refused.isEmpty, !state.queue.canServe else { return false }
      state.isAwake = false
      return true
    }
  }
}
