// SPDX-License-Identifier: Apache-2.0
import CGLib
import Platform

/// A connection to a message bus.
@GLibActor
public final class BusConnection {
  let pointer: OpaquePointer
  /// The exported objects. From the first use on, they receive all incoming calls.
  public private(set) lazy var objects = BusObjects(pointer, descriptors, files)

  /// The GUID of this instance of the bus. A restarted bus has another one.
  public let guid: String
  let reception: Reception
  let descriptors: DescriptorPassing
  private let replies: ReplyFilter

  /// The path of incoming messages.
  enum Reception {
    case direct
    /// Through a ``MessageGuard`` from this bus. It takes the files of calls, and discards those of replies.
    case guarded(Bus, MessageFiles)
  }

  private var files: MessageFiles? {
    if case .guarded(_, let files) = reception { files } else { nil }
  }

  /// - Parameter descriptors: nil for a connection that GDBus reads and writes itself.
  init(
    owning pointer: OpaquePointer, guid: String? = nil, _ reception: Reception = .direct,
    _ descriptors: DescriptorPassing? = nil
  ) {
    self.pointer = pointer
    self.descriptors = descriptors ?? .ofGDBus(pointer)
    self.guid = guid ?? g_dbus_connection_get_guid(pointer).map { String(cString: $0) } ?? ""
    self.reception = reception
    replies = .of(pointer)
    g_dbus_connection_set_exit_on_close(pointer, 0)
  }

  isolated deinit {
    g_object_unref(UnsafeMutableRawPointer(pointer))
  }

  public enum Bus: Sendable {
    case session
    case system

    var type: GBusType {
      switch self {
      case .session: G_BUS_TYPE_SESSION
      case .system: G_BUS_TYPE_SYSTEM
      }
    }
  }

  /// Connects to the session or system bus. Connections of one process to the same bus are shared.
  ///
  /// - Throws: ``GLibError``, `CancellationError`.
  public static func open(_ bus: Bus, deadline: Duration = .seconds(10)) async throws -> BusConnection {
    try await asyncCall(deadline: deadline) { cancellable, callback, data in
      g_bus_get(bus.type, cancellable, callback, data)
    } finish: { result, error in
      g_bus_get_finish(result, &error).map { BusConnection(owning: $0) }
    }
  }

  /// Opens a private connection to the bus at `address`.
  ///
  /// - Throws: ``GLibError``, `CancellationError`.
  public static func open(address: String, deadline: Duration = .seconds(10)) async throws -> BusConnection {
    let flags = GDBusConnectionFlags(
      rawValue: G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
        | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue)
    return try await asyncCall(deadline: deadline) { cancellable, callback, data in
      g_dbus_connection_new_for_address(address, flags, nil, cancellable, callback, data)
    } finish: { result, error in
      g_dbus_connection_new_for_address_finish(result, &error).map { BusConnection(owning: $0) }
    }
  }

  /// The connection's unique name, such as `:1.42`.
  public var uniqueName: String {
    g_dbus_connection_get_unique_name(pointer).map { String(cString: $0) } ?? ""
  }

  // MARK: Calls

  /// Calls a method of a peer.
  ///
  /// - Parameters:
  ///   - timeout: the longest wait for the reply; nil waits until the peer leaves the bus.
  ///   - autoStart: whether the bus starts a service that is not running.
  ///   - interactive: whether the peer may prompt the user.
  /// - Throws: ``GLibError``, with `busName` set when the peer replied with an error; `CancellationError`.
  @discardableResult
  public func call(
    _ destination: String, _ path: ObjectPath, _ interface: String, _ member: String,
    _ arguments: Variant = .tuple([]), timeout: Duration? = .seconds(25), autoStart: Bool = true,
    interactive: Bool = false
  ) async throws -> Variant {
    try await callForDescriptors(
      destination, path, interface, member, arguments, timeout: timeout, autoStart: autoStart, interactive: interactive
    ).reply
  }

  /// Calls a method with file descriptors, or one whose reply may have some.
  ///
  /// - Parameter passed: the descriptors that the handles in `arguments` stand for, by their places.
  /// - Throws: as ``call(_:_:_:_:_:timeout:autoStart:interactive:)``.
  package func callForDescriptors(
    _ destination: String, _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: Variant,
    passing passed: [Descriptor] = [], timeout: Duration? = .seconds(25), autoStart: Bool = true,
    interactive: Bool = false
  ) async throws -> (reply: Variant, descriptors: [Descriptor]) {
    var flags = G_DBUS_CALL_FLAGS_NONE.rawValue
    if !autoStart { flags |= G_DBUS_CALL_FLAGS_NO_AUTO_START.rawValue }
    if interactive { flags |= G_DBUS_CALL_FLAGS_ALLOW_INTERACTIVE_AUTHORIZATION.rawValue }
    let list = g_unix_fd_list_new()
    for descriptor in passed { g_unix_fd_list_append(list, descriptor.number, nil) }
    defer { g_object_unref(list) }
    let milliseconds = timeout.map { Int32(clamping: $0.wholeMilliseconds) } ?? Int32.max
    let before = g_dbus_connection_get_last_serial(pointer)
    var serial = before
    defer { if serial != before { replies.forget(serial) } }
    return try await asyncCall { cancellable, callback, data in
      g_dbus_connection_call_with_unix_fd_list(
        pointer, destination, path.string, interface, member, arguments.pointer, nil, GDBusCallFlags(rawValue: flags),
        milliseconds, passed.isEmpty ? nil : list, cancellable, callback, data)
      // The last serial of this thread: that of the call, unless it could not be sent.
      serial = g_dbus_connection_get_last_serial(pointer)
    } finish: { [pointer] result, error -> (reply: Variant, descriptors: [Descriptor])? in
      var list: UnsafeMutablePointer<GUnixFDList>?
      let reply = g_dbus_connection_call_with_unix_fd_list_finish(pointer, &list, result, &error)
      let descriptors = Self.take(list)
      return reply.map { (Variant(taking: $0), descriptors) }
    }
  }

  private static func take(_ list: UnsafeMutablePointer<GUnixFDList>?) -> [Descriptor] {
    guard let list else { return [] }
    defer { g_object_unref(list) }
    var count: gint = 0
    let descriptors = g_unix_fd_list_steal_fds(list, &count)
    defer { g_free(descriptors) }
    return (0..<Int(count)).compactMap { Descriptor(owning: descriptors?[$0] ?? -1) }
  }

  /// Reads a property of a peer's object.
  ///
  /// - Throws: as ``call(_:_:_:_:_:timeout:autoStart:interactive:)``.
  public func property(
    _ destination: String, _ path: ObjectPath, _ interface: String, _ name: String,
    timeout: Duration? = .seconds(25)
  ) async throws -> Variant {
    try await call(
      destination, path, "org.freedesktop.DBus.Properties", "Get", .tuple(interface, name), timeout: timeout
    ).member(0, name, as: Variant.self)
  }

  // MARK: Names

  public enum NameRequest: Sendable {
    case owner
    case taken
  }

  /// Requests a well-known name, without queueing for it.
  public func requestName(_ name: String, allowReplacement: Bool = false, replace: Bool = false) async throws
    -> NameRequest
  {
    let flags: UInt32 = (allowReplacement ? 1 : 0) | (replace ? 2 : 0) | 4
    let reply = try await call(busName, busPath, busName, "RequestName", .tuple(name, flags))
    let answer: UInt32 = try reply.member(0, "reply")
    return answer == 1 || answer == 4 ? .owner : .taken
  }

  public func releaseName(_ name: String) async throws {
    try await call(busName, busPath, busName, "ReleaseName", .tuple(name))
  }

  // MARK: Sending

  /// Emits a signal to one peer, or to all subscribers when `destination` is nil.
  ///
  /// - Throws: ``BusMessageTooLong``; ``GLibError`` when the connection is closed.
  public func emit(
    _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: Variant, to destination: String? = nil
  ) throws {
    try BusMessageTooLong.check(arguments)
    try checked {
      g_dbus_connection_emit_signal(
        pointer, destination, path.string, interface, member, arguments.pointer, &$0)
    }
  }

  /// Waits until all queued messages have been written to the socket.
  public func flush() async throws {
    try await Self.flush(pointer)
  }

  static func flush(_ pointer: OpaquePointer) async throws {
    try await asyncCall { cancellable, callback, data in
      g_dbus_connection_flush(pointer, cancellable, callback, data)
    } finish: { result, error in
      g_dbus_connection_flush_finish(pointer, result, &error)
    }
  }

  /// Whether the connection is closed. It is never reopened.
  public var isClosed: Bool { g_dbus_connection_is_closed(pointer) != 0 }

  /// Calls `action` once, when the connection closes; never when it is already closed.
  public func onClosed(_ action: @escaping @GLibActor () -> Void) {
    onSignal("closed", of: pointer, action)
  }
}

extension BusConnection {
  /// Suppresses the warnings of GIO and libsecret after this connection is closed: they still create proxies for
  /// earlier replies then, and log a warning for each. Call it once in a process.
  ///
  /// - Parameter connection: the shared connection that the libraries use, as ``open(_:deadline:)`` returns it.
  public static func quietenLibraries(onceClosed connection: BusConnection) {
    g_log_set_writer_func(writer, g_object_ref(UnsafeMutableRawPointer(connection.pointer))) { g_object_unref($0) }
  }

  /// GLib calls it on any thread.
  private nonisolated static var writer: GLogWriterFunc {
    { level, fields, count, connection in
      let complaints = G_LOG_LEVEL_CRITICAL.rawValue | G_LOG_LEVEL_WARNING.rawValue
      guard level.rawValue & complaints != 0, let connection,
        g_dbus_connection_is_closed(OpaquePointer(connection)) != 0,
        BusConnection.isOfLibraryOverBus(UnsafeBufferPointer(start: fields, count: Int(count)))
      else { return g_log_writer_default(level, fields, count, nil) }
      return G_LOG_WRITER_HANDLED
    }
  }

  private nonisolated static func isOfLibraryOverBus(_ fields: UnsafeBufferPointer<GLogField>) -> Bool {
    fields.contains { field in
      guard String(cString: field.key) == "GLIB_DOMAIN", let value = field.value else { return false }
      return ["GLib-GIO", "libsecret"].contains(String(cString: value.assumingMemoryBound(to: CChar.self)))
    }
  }
}
