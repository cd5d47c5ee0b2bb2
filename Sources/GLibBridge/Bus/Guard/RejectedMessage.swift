// SPDX-License-Identifier: Apache-2.0
import CGLib

/// A message that ``MessageGuard`` has rejected.
struct RejectedMessage: Sendable {
  enum Reason: Sendable {
    case tooLarge(bytes: Int, limit: Int)
    case tooManyValues(limit: Int)
    /// The values of its sender in this second, or those of all senders, are spent.
    case tooManyValuesPerSecond
    case malformed
  }

  let reason: Reason
  /// The sender; nil when the header cannot be read.
  let sender: String?
  /// The serial of the call that expects a reply; nil for other messages.
  let serial: UInt32?

  /// The error that takes the place of a reply, in the wire format; empty when the message is not a reply.
  func failure(_ head: MessageHead, _ fields: MessageFields?) -> [UInt8] {
    switch head.kind {
    case .methodReturn, .error:
      guard let fields, let replySerial = fields.replySerial, let sender else { return [] }
      let error = g_dbus_message_new()
      defer { g_object_unref(UnsafeMutableRawPointer(error)) }
      g_dbus_message_set_message_type(error, G_DBUS_MESSAGE_TYPE_ERROR)
      g_dbus_message_set_reply_serial(error, replySerial)
      g_dbus_message_set_error_name(error, "org.freedesktop.DBus.Error.LimitsExceeded")
      g_dbus_message_set_sender(error, sender)
      // Serials matter for calls only, and 0 is invalid.
      g_dbus_message_set_serial(error, .max)
      let body = Variant.tuple("the reply \(reason)")
      withExtendedLifetime(body) { g_dbus_message_set_body(error, body.pointer) }
      var count: gsize = 0
      let blob = g_dbus_message_to_blob(error, &count, G_DBUS_CAPABILITY_FLAGS_NONE, nil)
      defer { g_free(blob) }
      return Array(UnsafeBufferPointer(start: blob, count: Int(count)))
    case .methodCall, .signal, nil:
      return []
    }
  }
}

extension RejectedMessage.Reason: CustomStringConvertible {
  /// A clause whose subject is the message.
  var description: String {
    switch self {
    case .tooLarge(let bytes, let limit): "has \(bytes) bytes, and \(limit) are allowed"
    case .tooManyValues(let limit): "has more than \(limit) values"
    case .tooManyValuesPerSecond: "has more values than are left in this second"
    case .malformed: "does not conform to the D-Bus specification"
    }
  }
}
