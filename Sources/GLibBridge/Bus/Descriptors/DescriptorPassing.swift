import CGLib
import Platform

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
