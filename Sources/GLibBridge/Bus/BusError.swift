// SPDX-License-Identifier: Apache-2.0
import CGLib

/// The message exceeds the size limit. Nothing was sent.
///
/// A bus disconnects a program that sends more than 128 MiB in a message or 64 MiB in an array. The limit is far lower,
/// so that a few queued messages do not exhaust this process's memory either.
public struct BusMessageTooLong: Error, Equatable {
  /// The maximum size of a message's arguments, in bytes.
  public static let limit = 24 << 20

  /// The size of the arguments, in bytes.
  public let bytes: Int

  /// Throws when `arguments` exceed the limit.
  public static func check(_ arguments: Variant) throws(BusMessageTooLong) {
    let bytes = arguments.byteCount
    guard bytes <= limit else { throw BusMessageTooLong(bytes: bytes) }
  }
}

/// A D-Bus error that replies to a call.
public struct BusError: Error, Equatable {
  /// The full error name, such as `org.chappie.Error.Locked`.
  public let name: String
  /// One sentence for the user. It must contain no secret.
  public let message: String

  public init(name: String, message: String) {
    self.name = name
    self.message = message
  }

  /// An error of the D-Bus specification, such as `UnknownMethod`.
  static func ofBus(_ name: String, _ message: String) -> BusError {
    BusError(name: "org.freedesktop.DBus.Error.\(name)", message: message)
  }
}

/// What a reply to a call names.
struct CallOrigin: Sendable {
  let sender: String
  let serial: UInt32
}

extension BusError {
  /// Replies with this error to a call. The message must be short.
  func send(to call: CallOrigin, on connection: OpaquePointer) {
    let error = reply(toCall: call.serial)
    defer { g_object_unref(UnsafeMutableRawPointer(error)) }
    g_dbus_message_set_destination(error, call.sender)
    // This fails only when the connection is closed.
    g_dbus_connection_send_message(connection, error, G_DBUS_SEND_MESSAGE_FLAGS_NONE, nil, nil)
  }

  /// This error as a reply, which the caller releases.
  func reply(toCall serial: UInt32) -> OpaquePointer? {
    let error = g_dbus_message_new()
    g_dbus_message_set_message_type(error, G_DBUS_MESSAGE_TYPE_ERROR)
    g_dbus_message_set_reply_serial(error, serial)
    g_dbus_message_set_error_name(error, name)
    let body = Variant.tuple(message)
    withExtendedLifetime(body) { g_dbus_message_set_body(error, body.pointer) }
    return error
  }
}
