// SPDX-License-Identifier: Apache-2.0
import CGLib
import Glibc

/// A method call that expects exactly one reply.
final class IncomingCall: @unchecked Sendable {
  /// The maximum length of an error message, in bytes.
  private static let longestMessage = 4096
  /// The size in bytes up to which a body is kept as GDBus parsed it.
  private static let smallBody = 256

  /// Immutable.
  private let message: OpaquePointer
  /// The size of the arguments and of the path, which have no limits of their own.
  let byteCount: Int
  let files: CallFiles

  /// Takes over the reference to a method call message.
  init(owning message: OpaquePointer, _ files: CallFiles) {
    self.message = message
    self.files = files
    let path = g_dbus_message_get_path(message).map(strlen) ?? 0
    guard let body = g_dbus_message_get_body(message) else {
      byteCount = Int(path)
      return
    }
    let size = Int(g_variant_get_size(body))
    byteCount = size + Int(path)
    // GDBus allocates an object for each value, some hundred bytes for one byte. Serialising the whole body releases
    // them.
    if size > Self.smallBody { g_variant_get_data(body) }
  }

  deinit {
    g_object_unref(UnsafeMutableRawPointer(message))
  }

  var serial: UInt32 { g_dbus_message_get_serial(message) }
  var expectsReply: Bool {
    g_dbus_message_get_flags(message).rawValue & G_DBUS_MESSAGE_FLAGS_NO_REPLY_EXPECTED.rawValue == 0
  }
  var sender: String { text(g_dbus_message_get_sender(message)) }
  var path: String { text(g_dbus_message_get_path(message)) }
  var interface: String { text(g_dbus_message_get_interface(message)) }
  var member: String { text(g_dbus_message_get_member(message)) }
  /// Whether the message carries file descriptors.
  var hasDescriptors: Bool { g_dbus_message_get_num_unix_fds(message) > 0 }

  private func text(_ text: UnsafePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "" }

  /// The call for the handler.
  ///
  /// - Parameters:
  ///   - type: the required type of the arguments, as a tuple.
  ///   - replied: finished when the reply has been queued.
  /// - Throws: ``BusError`` when the arguments have another type.
  func call(_ type: String, _ replied: Wait) throws(BusError) -> BusCall {
    let arguments = g_dbus_message_get_body(message).map { Variant(sharing: $0) } ?? .tuple([])
    guard arguments.isOfType(type) else {
      throw .ofBus(
        "InvalidArgs", "\(interface).\(member) takes \(type), and these arguments are \(arguments.type).")
    }
    let flags = g_dbus_message_get_flags(message).rawValue
    return BusCall(
      sender: sender, arguments: arguments,
      allowsInteraction: flags & G_DBUS_MESSAGE_FLAGS_ALLOW_INTERACTIVE_AUTHORIZATION.rawValue != 0, replied: replied,
      files: files)
  }

  // MARK: Answering, on any thread

  func reply(_ reply: Variant, on connection: OpaquePointer, _ descriptors: DescriptorPassing) {
    let descriptor = files.takePassed()
    guard expectsReply, let answer = g_dbus_message_new_method_reply(message) else { return }
    defer { g_object_unref(UnsafeMutableRawPointer(answer)) }
    g_dbus_message_set_body(answer, reply.pointer)
    descriptors.send(answer, with: descriptor, on: connection)
  }

  func fail(_ error: BusError, on connection: OpaquePointer) {
    // Whoever keeps the call must not keep it open.
    _ = files.takePassed()
    // The message may quote the caller's input.
    let text = String(decoding: error.message.utf8.prefix(Self.longestMessage), as: UTF8.self)
    guard expectsReply, let answer = g_dbus_message_new_method_error_literal(message, error.name, text) else { return }
    defer { g_object_unref(UnsafeMutableRawPointer(answer)) }
    DescriptorPassing.nowhere.send(answer, with: nil, on: connection)
  }
}
