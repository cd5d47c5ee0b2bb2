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

  /// Calls a method that returns a file descriptor.
  ///
  /// - Returns: the reply, and the descriptor; nil when the reply has none.
  /// - Throws: as ``call(_:_:_:_:_:timeout:autoStart:interactive:)``.
  package func callForDescriptor(
    _ destination: String, _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: Variant,
    timeout: Duration = .seconds(25), interactive: Bool = false
  ) async throws -> (Variant, Descriptor?) {
    let flags = interactive ? G_DBUS_CALL_FLAGS_ALLOW_INTERACTIVE_AUTHORIZATION : G_DBUS_CALL_FLAGS_NONE
    let reply = try await asyncCall { cancellable, callback, data in
      g_dbus_connection_call_with_unix_fd_list(
        pointer, destination, path.string, interface, member, arguments.pointer, nil, flags,
        Int32(clamping: timeout.wholeMilliseconds), nil, cancellable, callback, data)
    } finish: { [pointer] result, error in
      var list: UnsafeMutablePointer<GUnixFDList>?
      let reply = g_dbus_connection_call_with_unix_fd_list_finish(pointer, &list, result, &error)
      let number = list.map { g_unix_fd_list_get($0, 0, nil) } ?? -1
      if let list { g_object_unref(list) }
      return reply.map { (Variant(taking: $0), Descriptor(owning: number)) }
    }
    guard let reply else { throw GLibError.timedOut }
    return reply
  }
}
