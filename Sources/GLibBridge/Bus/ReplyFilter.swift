// SPDX-License-Identifier: Apache-2.0
import CGLib
import Synchronization

/// Discards replies that come from others than the peer that was called, and tells a caller when the bus has discarded
/// the reply to it.
///
/// GDBus accepts a reply from any peer that guesses the serial of a call, and a session bus delivers replies that nobody
/// has asked for. The filter sees every message of a connection, also those of libraries that share it.
///
/// The first call to a well-known name waits until the bus has named its owner. All but ``forget(_:)`` runs on GDBus's
/// worker thread.
final class ReplyFilter: Sendable {
  private struct State {
    var replies = ExpectedReplies()
    /// The names whose owners the bus has been asked for, by the serial of the question.
    var questions: [UInt32: String] = [:]
    /// The calls that wait for these answers.
    var waiting: [String: [WaitingCall]] = [:]
    /// The calls that got the latest replies with a descriptor, by the serials of the replies. The bus does not deliver
    /// such a reply to a connection that accepts none.
    var passing: [UInt32: CallOrigin] = [:]
    var hasReportedForgery = false
  }

  /// An outgoing call.
  private final class WaitingCall: @unchecked Sendable {
    /// Immutable.
    let message: OpaquePointer
    let expectsReply: Bool

    init(owning message: OpaquePointer, expectsReply: Bool) {
      self.message = message
      self.expectsReply = expectsReply
    }

    deinit {
      g_object_unref(UnsafeMutableRawPointer(message))
    }
  }

  /// The bus reports at once that it does not deliver a reply.
  private static let passingLimit = 256
  private static let key = "chappie-replies"

  private let state = Mutex(State())

  /// The filter of a connection, which it installs at the first use.
  @GLibActor
  static func of(_ connection: OpaquePointer) -> ReplyFilter {
    let object = UnsafeMutableRawPointer(connection).assumingMemoryBound(to: GObject.self)
    if let box = g_object_get_data(object, key) { return CallbackBox<ReplyFilter>.of(box).closure }
    let filter = ReplyFilter()
    g_object_set_data_full(object, key, CallbackBox(filter).retained, CallbackBox<ReplyFilter>.release)
    filter.attach(to: connection)
    // The serial of this message separates the calls that the filter has seen from those before it: another part of the
    // process may share the connection and wait for replies.
    let ping = call("Ping", interface: "org.freedesktop.DBus.Peer", nil, expectsReply: false, on: connection)
    filter.state.withLock { $0.replies.firstSerial = ping }
    return filter
  }

  private func attach(to connection: OpaquePointer) {
    g_dbus_connection_add_filter(
      connection,
      { connection, message, isIncoming, data in
        guard let connection, let message else { return message }
        let filter = CallbackBox<ReplyFilter>.of(data).closure
        return isIncoming != 0 ? filter.receive(message, connection) : filter.send(message, connection)
      }, CallbackBox(self).retained, CallbackBox<ReplyFilter>.release)
  }

  /// Forgets a call that no longer waits for its reply. One that still waits for its name's owner is not sent.
  func forget(_ serial: UInt32) {
    state.withLock { state in
      state.replies.forget(serial)
      for (name, calls) in state.waiting {
        state.waiting[name] = calls.filter { g_dbus_message_get_serial($0.message) != serial }
      }
    }
  }

  // MARK: Outgoing

  private func send(_ message: OpaquePointer, _ connection: OpaquePointer) -> OpaquePointer? {
    switch g_dbus_message_get_message_type(message) {
    case G_DBUS_MESSAGE_TYPE_METHOD_CALL: return sendCall(message, connection)
    case G_DBUS_MESSAGE_TYPE_METHOD_RETURN: noteDescriptor(message)
    default: break
    }
    return message
  }

  private func sendCall(_ message: OpaquePointer, _ connection: OpaquePointer) -> OpaquePointer? {
    guard let name = g_dbus_message_get_destination(message), g_dbus_is_name(name) != 0 else { return message }
    let destination = String(cString: name)
    let serial = g_dbus_message_get_serial(message)
    let flags = g_dbus_message_get_flags(message).rawValue
    let expectsReply = flags & G_DBUS_MESSAGE_FLAGS_NO_REPLY_EXPECTED.rawValue == 0
    let outgoing = state.withLock { state in
      let outgoing = state.replies.send(serial, to: destination, expectsReply: expectsReply)
      if outgoing != .send {
        state.waiting[destination, default: []].append(WaitingCall(owning: message, expectsReply: expectsReply))
      }
      return outgoing
    }
    switch outgoing {
    case .send: return message
    case .wait: return nil
    case .ask(let forgotten):
      for name in forgotten { Self.call("RemoveMatch", Self.rule(name), expectsReply: false, on: connection) }
      Self.call("AddMatch", Self.rule(destination), expectsReply: false, on: connection)
      let question = Self.call("GetNameOwner", destination, expectsReply: true, on: connection)
      // This thread also receives the answer, so it cannot come before this.
      state.withLock { $0.questions[question] = destination }
      return nil
    }
  }

  private func noteDescriptor(_ reply: OpaquePointer) {
    let serial = g_dbus_message_get_serial(reply)
    guard g_dbus_message_get_num_unix_fds(reply) > 0 || serial >= DescriptorStream.firstSerial,
      let caller = g_dbus_message_get_destination(reply)
    else { return }
    let passing = CallOrigin(sender: String(cString: caller), serial: g_dbus_message_get_reply_serial(reply))
    state.withLock { state in
      if state.passing.count >= Self.passingLimit, let oldest = state.passing.keys.min() { state.passing[oldest] = nil }
      state.passing[serial] = passing
    }
  }

  /// The match rule for the changes of a name's owner.
  private static func rule(_ name: String) -> String {
    "type='signal',sender='\(busName)',interface='\(busName)',member='NameOwnerChanged',arg0='\(name)'"
  }

  /// Calls a method of the bus, and returns the call's serial.
  @discardableResult
  private static func call(
    _ member: String, interface: String = busName, _ argument: String?, expectsReply: Bool, on connection: OpaquePointer
  ) -> UInt32 {
    let message = g_dbus_message_new_method_call(busName, busPath.string, interface, member)
    defer { g_object_unref(UnsafeMutableRawPointer(message)) }
    if let argument {
      let body = Variant.tuple(argument)
      withExtendedLifetime(body) { g_dbus_message_set_body(message, body.pointer) }
    }
    if !expectsReply { g_dbus_message_set_flags(message, G_DBUS_MESSAGE_FLAGS_NO_REPLY_EXPECTED) }
    var serial: UInt32 = 0
    // This fails only when the connection is closed.
    g_dbus_connection_send_message(connection, message, G_DBUS_SEND_MESSAGE_FLAGS_NONE, &serial, nil)
    return serial
  }

  // MARK: Incoming

  private func receive(_ message: OpaquePointer, _ connection: OpaquePointer) -> OpaquePointer? {
    switch g_dbus_message_get_message_type(message) {
    case G_DBUS_MESSAGE_TYPE_METHOD_RETURN, G_DBUS_MESSAGE_TYPE_ERROR:
      guard accepts(message, connection) else {
        g_object_unref(UnsafeMutableRawPointer(message))
        return nil
      }
      return withOriginalSerial(message)
    case G_DBUS_MESSAGE_TYPE_SIGNAL: noteOwner(message)
    default: break
    }
    return message
  }

  private func accepts(_ message: OpaquePointer, _ connection: OpaquePointer) -> Bool {
    let serial = g_dbus_message_get_reply_serial(message)
    let sender = g_dbus_message_get_sender(message).map { String(cString: $0) }
    let (verdict, isNews) = state.withLock { state in
      let verdict = state.replies.receive(replyTo: serial, from: sender)
      let isNews = verdict == .forged && !state.hasReportedForgery
      if isNews { state.hasReportedForgery = true }
      return (verdict, isNews)
    }
    if isNews {
      Log.notice("A reply of \(name: sender ?? "") was discarded: the call went to another program on the bus.")
    }
    if verdict == .ofBus {
      let (name, passing) = state.withLock {
        ($0.questions.removeValue(forKey: serial), $0.passing.removeValue(forKey: serial))
      }
      if let name { answered(name, message, connection) }
      if let passing { Self.fail(passing, on: connection) }
    }
    return verdict == .ofBus || verdict == .ofPeer
  }

  /// Sends the calls that waited for the owner of `name`, in their order.
  private func answered(_ name: String, _ answer: OpaquePointer, _ connection: OpaquePointer) {
    // An error says that the name has no owner.
    let body = g_dbus_message_get_body(answer).map { Variant(sharing: $0) }
    let isError = g_dbus_message_get_message_type(answer) == G_DBUS_MESSAGE_TYPE_ERROR
    let owner = isError ? nil : try? body?.member(0, "owner", as: String.self)
    let calls = state.withLock { state in
      state.replies.know(owner, of: name)
      return state.waiting.removeValue(forKey: name) ?? []
    }
    for call in calls {
      guard let copy = g_dbus_message_copy(call.message, nil) else { continue }
      var serial: UInt32 = 0
      // This fails only when the connection is closed. The copy passes this filter later, on this thread.
      g_dbus_connection_send_message(connection, copy, G_DBUS_SEND_MESSAGE_FLAGS_NONE, &serial, nil)
      g_object_unref(UnsafeMutableRawPointer(copy))
      if call.expectsReply {
        state.withLock { $0.replies.resend(g_dbus_message_get_serial(call.message), as: serial) }
      }
    }
  }

  /// The reply to a call that was sent after a wait, as its caller expects it.
  private func withOriginalSerial(_ reply: OpaquePointer) -> OpaquePointer? {
    let serial = g_dbus_message_get_reply_serial(reply)
    guard let original = state.withLock({ $0.replies.takeOriginal(of: serial) }),
      let copy = g_dbus_message_copy(reply, nil)
    else { return reply }
    g_dbus_message_set_reply_serial(copy, original)
    g_object_unref(UnsafeMutableRawPointer(reply))
    return copy
  }

  /// Answers a call whose reply the bus has not delivered.
  private static func fail(_ call: CallOrigin, on connection: OpaquePointer) {
    BusError.ofBus("NotSupported", "The caller's connection accepts no file descriptors.").send(
      to: call, on: connection)
  }

  private func noteOwner(_ signal: OpaquePointer) {
    guard let member = g_dbus_message_get_member(signal), strcmp(member, "NameOwnerChanged") == 0,
      let sender = g_dbus_message_get_sender(signal), strcmp(sender, busName) == 0,
      let body = g_dbus_message_get_body(signal).map({ Variant(sharing: $0) }), body.isOfType("(sss)"),
      let name = try? body.member(0, "name", as: String.self), let owner = try? body.member(2, "owner", as: String.self)
    else { return }
    state.withLock { $0.replies.ownerChanged(name, to: owner.isEmpty ? nil : owner) }
  }
}
