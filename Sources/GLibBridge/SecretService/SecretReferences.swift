// SPDX-License-Identifier: Apache-2.0
import CGLib
import CLibsecret

/// An owned reference to libsecret's service object.
@GLibActor
final class SecretServiceReference {
  let pointer: UnsafeMutablePointer<SecretService>
  /// The unique bus name of the keyring that opened the session.
  let keyring: String?
  /// Whether the keyring has a `session` collection; nil when unknown.
  var hasSessionCollection: Bool?

  init(owning pointer: UnsafeMutablePointer<SecretService>) {
    self.pointer = pointer
    keyring = Self.owner(pointer)
  }

  /// Whether the session encrypts secrets on the bus. libsecret silently falls back to a plain session.
  var isEncrypted: Bool {
    guard let algorithms = secret_service_get_session_algorithms(pointer) else { return false }
    return String(cString: algorithms) != "plain"
  }

  /// The object path of the session.
  var session: ObjectPath? {
    secret_service_get_session_dbus_path(pointer).flatMap { ObjectPath(String(cString: $0)) }
  }

  /// Whether the keyring still has the session. A restarted keyring has another unique name and no sessions.
  var hasSession: Bool { Self.owner(pointer) == keyring }

  private static func owner(_ service: UnsafeMutablePointer<SecretService>) -> String? {
    let proxy = UnsafeMutableRawPointer(service).assumingMemoryBound(to: GDBusProxy.self)
    guard let name = g_dbus_proxy_get_name_owner(proxy) else { return nil }
    defer { g_free(name) }
    return String(cString: name)
  }

  /// Calls a method of one of the keyring's objects. libsecret's own objects for items and collections make eight calls
  /// for one.
  ///
  /// - Throws: ``GLibError``, `CancellationError`.
  func call(
    _ path: String, _ interface: String, _ method: String, _ arguments: Variant, deadline: Duration
  ) async throws -> Variant {
    let proxy = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GDBusProxy.self)
    let connection = g_dbus_proxy_get_connection(proxy)
    let reply = try await asyncCall(deadline: deadline) { [keyring] cancellable, callback, data in
      g_dbus_connection_call(
        connection, keyring ?? "org.freedesktop.secrets", path, interface, method, arguments.pointer, nil,
        G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, cancellable, callback, data)
    } finish: { result, error in
      g_dbus_connection_call_finish(connection, result, &error).map { Variant(taking: $0) }
    }
    guard let reply else { throw GLibError.timedOut }
    return reply
  }

  /// Reads all properties of one of the keyring's objects.
  ///
  /// - Throws: ``GLibError``, ``VariantError``, `CancellationError`.
  func properties(_ path: String, _ interface: String, deadline: Duration) async throws -> VariantDictionary {
    try await call(path, "org.freedesktop.DBus.Properties", "GetAll", .tuple(interface), deadline: deadline)
      .member(0, "properties")
  }

  isolated deinit {
    g_object_unref(pointer)
  }
}

/// Attributes in the form that libsecret uses: a hash table of strings that includes the schema's name.
@GLibActor
final class AttributeTable {
  let pointer: OpaquePointer

  init(_ attributes: [String: String], schema: String) {
    guard let table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free) else {
      preconditionFailure("GLib made no hash table")
    }
    pointer = table
    for (key, value) in attributes.merging(["xdg:schema": schema], uniquingKeysWith: { $1 }) {
      g_hash_table_insert(table, g_strdup(key), g_strdup(value))
    }
  }

  isolated deinit {
    g_hash_table_unref(pointer)
  }
}
