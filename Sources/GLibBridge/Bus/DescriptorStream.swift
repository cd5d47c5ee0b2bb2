// SPDX-License-Identifier: Apache-2.0
import CGLib
import Glibc
import Platform
import Synchronization

/// The output stream of a connection that a ``MessageGuard`` reads for. It can send a file descriptor with a message.
///
/// GDBus passes descriptors only on a socket that it also reads itself. So it gets the message without the descriptor,
/// under a serial above its own ones. When it writes the message with that serial, this stream writes the whole one.
final class DescriptorStream: Sendable {
  private struct State {
    /// Messages that GDBus has queued without their descriptors, by serial.
    var waiting: [UInt32: Message] = [:]
    var nextSerial = firstSerial
    /// The bytes of the current message that have not been written.
    var rest = 0
  }

  /// A message with its descriptor.
  private struct Message {
    var bytes: ArraySlice<UInt8>
    /// Nil after the first bytes have been written.
    var descriptor: Descriptor?
  }

  /// GDBus counts serials from 1, and does not come this far.
  static let firstSerial: UInt32 = 0xf000_0000
  private static let key = "chappie-descriptors"

  private let state = Mutex(State())

  /// Makes the stream for GDBus.
  ///
  /// - Parameter socket: the socket to the bus. The stream closes it.
  func makeStream(owning socket: Int32) -> UnsafeMutablePointer<GOutputStream>? {
    let stream = newObject(Self.type, ["fd": socket])
    g_object_set_data_full(stream, Self.key, CallbackBox(self).retained, CallbackBox<DescriptorStream>.release)
    return stream.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: GOutputStream.self) }
  }

  /// Sends `message` with a descriptor.
  func send(_ message: OpaquePointer, with descriptor: Descriptor, on connection: OpaquePointer) {
    let serial = state.withLock { state in
      defer { state.nextSerial = max(Self.firstSerial, state.nextSerial &+ 1) }
      return state.nextSerial
    }
    g_dbus_message_set_serial(message, serial)
    let bytes = Self.encode(message, with: descriptor)
    state.withLock { $0.waiting[serial] = Message(bytes: bytes[...], descriptor: descriptor) }
    let isQueued = g_dbus_connection_send_message(
      connection, message, G_DBUS_SEND_MESSAGE_FLAGS_PRESERVE_SERIAL, nil, nil)
    // The connection is closed.
    if isQueued == 0 { state.withLock { $0.waiting[serial] = nil } }
  }

  private static func encode(_ message: OpaquePointer, with descriptor: Descriptor) -> [UInt8] {
    let list = g_unix_fd_list_new()
    defer { g_object_unref(list) }
    g_unix_fd_list_append(list, descriptor.number, nil)
    g_dbus_message_set_unix_fd_list(message, list)
    defer { g_dbus_message_set_unix_fd_list(message, nil) }
    return [UInt8](encoding: message, G_DBUS_CAPABILITY_FLAGS_UNIX_FD_PASSING)
  }

  // MARK: Writing, on GDBus's worker thread

  private static let type = registerType("ChappieDescriptorStream", parent: g_unix_output_stream_get_type()) {
    type, _ in
    type?.assumingMemoryBound(to: GOutputStreamClass.self).pointee.write_fn = DescriptorStream.write
  }

  private static let write:
    @convention(c) (
      UnsafeMutablePointer<GOutputStream>?, UnsafeRawPointer?, gsize, UnsafeMutablePointer<GCancellable>?,
      UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
    ) -> gssize = { stream, bytes, count, _, error in
      guard let stream = stream.map({ UnsafeMutableRawPointer($0) }) else { return -1 }
      let data = g_object_get_data(stream.assumingMemoryBound(to: GObject.self), key)
      let socket = g_unix_output_stream_get_fd(stream.assumingMemoryBound(to: GUnixOutputStream.self))
      return CallbackBox<DescriptorStream>.of(data).closure.write(
        UnsafeRawBufferPointer(start: bytes, count: Int(count)), to: socket, error)
    }

  private func write(
    _ bytes: UnsafeRawBufferPointer, to socket: Int32, _ error: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
  ) -> Int {
    state.withLock { state in
      // GDBus begins each message with a write of its own. A reply is in the byte order of its call.
      let head = state.rest == 0 ? try? MessageHead(Array(bytes.prefix(MessageHead.fixedLength))[...]) : nil
      if let head, head.serial >= Self.firstSerial, state.waiting[head.serial] != nil {
        guard Self.writeWhole(&state.waiting[head.serial], to: socket, error) else { return -1 }
        return bytes.count
      }
      let count = Self.send(bytes, to: socket, nil, error)
      if count > 0 { state.rest = (head?.length ?? state.rest) - count }
      return count
    }
  }

  /// Writes the rest of a message with its descriptor, then sets it to nil. False when the socket takes no more.
  private static func writeWhole(
    _ message: inout Message?, to socket: Int32, _ error: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
  ) -> Bool {
    while let next = message, !next.bytes.isEmpty {
      let count = next.bytes.withUnsafeBytes { send($0, to: socket, next.descriptor, error) }
      guard count >= 0 else { return false }
      message?.bytes.removeFirst(count)
      message?.descriptor = nil
    }
    message = nil
    return true
  }

  private static func send(
    _ bytes: UnsafeRawBufferPointer, to socket: Int32, _ descriptor: Descriptor?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
  ) -> Int {
    let count = chappie_send(socket, bytes.baseAddress, bytes.count, descriptor?.number ?? -1)
    if count < 0 {
      let number = errno
      g_set_error_literal(error, g_io_error_quark(), gint(g_io_error_from_errno(number).rawValue), strerror(number))
    }
    return count
  }
}

extension [UInt8] {
  /// A message in the wire format.
  init(encoding message: OpaquePointer?, _ capabilities: GDBusCapabilityFlags) {
    var count: gsize = 0
    let blob = g_dbus_message_to_blob(message, &count, capabilities, nil)
    defer { g_free(blob) }
    self.init(UnsafeBufferPointer(start: blob, count: Int(count)))
  }
}

/// The way in which a connection sends file descriptors.
enum DescriptorPassing: Sendable {
  /// The bus passes none.
  case nowhere
  /// GDBus sends them.
  case byGDBus
  case through(DescriptorStream)

  /// The way of a connection that GDBus reads and writes itself.
  static func ofGDBus(_ connection: OpaquePointer) -> DescriptorPassing {
    let flags = g_dbus_connection_get_capabilities(connection).rawValue
    return flags & G_DBUS_CAPABILITY_FLAGS_UNIX_FD_PASSING.rawValue == 0 ? .nowhere : .byGDBus
  }

  /// Sends a message, with a descriptor if there is one.
  func send(_ message: OpaquePointer, with descriptor: Descriptor?, on connection: OpaquePointer) {
    switch (self, descriptor) {
    case (.through(let stream), let descriptor?):
      return stream.send(message, with: descriptor, on: connection)
    case (.byGDBus, let descriptor?):
      let list = g_unix_fd_list_new()
      g_unix_fd_list_append(list, descriptor.number, nil)
      g_dbus_message_set_unix_fd_list(message, list)
      g_object_unref(list)
    case (.nowhere, _), (_, nil): break
    }
    // This fails only when the connection is closed; then nobody waits for the message.
    g_dbus_connection_send_message(connection, message, G_DBUS_SEND_MESSAGE_FLAGS_NONE, nil, nil)
  }
}

extension BusConnection {
  /// Whether this connection can send file descriptors.
  var passesDescriptors: Bool {
    if case .nowhere = descriptors { false } else { true }
  }
}
