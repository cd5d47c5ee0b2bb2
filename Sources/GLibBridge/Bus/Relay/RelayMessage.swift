// SPDX-License-Identifier: Apache-2.0
import CGLib
import Glibc

/// Messages that ``BusRelay`` inserts into the stream.
enum RelayMessage {
  /// The interface of the marker signal. Its sender is the bus, which no peer can impersonate.
  static let interface = "org.chappie.Relay"
  static let member = "Dispatched"

  /// The signal that follows a batch of forwarded messages.
  static let marker: [UInt8] = {
    let signal = g_dbus_message_new_signal(busPath.string, interface, member)
    return encoded(signal, sender: busName)
  }()

  static func isMarker(_ message: OpaquePointer?) -> Bool {
    g_dbus_message_get_message_type(message) == G_DBUS_MESSAGE_TYPE_SIGNAL
      && g_dbus_message_get_interface(message).map { strcmp($0, interface) == 0 } ?? false
  }

  /// The error that replaces a rejected reply; nil when the message is not a reply.
  static func failure(of refusal: BusRelay.RejectedMessage, _ head: MessageHead, _ fields: MessageFields?) -> [UInt8]? {
    switch head.kind {
    case .methodReturn, .error:
      guard let fields, let serial = fields.replySerial, let sender = fields.sender else { return nil }
      let error = g_dbus_message_new()
      g_dbus_message_set_message_type(error, G_DBUS_MESSAGE_TYPE_ERROR)
      g_dbus_message_set_reply_serial(error, serial)
      g_dbus_message_set_error_name(error, "org.freedesktop.DBus.Error.LimitsExceeded")
      let body = Variant.tuple("the reply \(refusal.reason)")
      withExtendedLifetime(body) { g_dbus_message_set_body(error, body.pointer) }
      return encoded(error, sender: sender)
    case .methodCall, .signal, nil:
      return nil
    }
  }

  private static func encoded(_ message: OpaquePointer?, sender: String) -> [UInt8] {
    defer { g_object_unref(UnsafeMutableRawPointer(message)) }
    g_dbus_message_set_sender(message, sender)
    // Serials matter for calls only, and 0 is invalid.
    g_dbus_message_set_serial(message, .max)
    var count: gsize = 0
    let blob = g_dbus_message_to_blob(message, &count, G_DBUS_CAPABILITY_FLAGS_NONE, nil)
    defer { g_free(blob) }
    return Array(UnsafeBufferPointer(start: blob, count: Int(count)))
  }
}

extension BusRelay.RejectedMessage.Reason: CustomStringConvertible {
  /// A clause whose subject is the message.
  var description: String {
    switch self {
    case .tooLarge(let bytes, let limit): "has \(bytes) bytes, and \(limit) are allowed"
    case .tooManyValues(let limit): "has more than \(limit) values"
    case .tooManyMessages: "exceeds the number of messages that may be queued"
    case .malformed: "does not conform to the D-Bus specification"
    }
  }
}
