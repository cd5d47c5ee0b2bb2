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

  /// Whether the keyring still has the session. A restarted keyring has another unique name and no sessions.
  var hasSession: Bool { Self.owner(pointer) == keyring }

  private static func owner(_ service: UnsafeMutablePointer<SecretService>) -> String? {
    let proxy = UnsafeMutableRawPointer(service).assumingMemoryBound(to: GDBusProxy.self)
    guard let name = g_dbus_proxy_get_name_owner(proxy) else { return nil }
    defer { g_free(name) }
    return String(cString: name)
  }

  isolated deinit {
    g_object_unref(pointer)
  }
}

@GLibActor
final class SecretCollectionReference {
  let pointer: UnsafeMutablePointer<SecretCollection>

  init(owning pointer: UnsafeMutablePointer<SecretCollection>) {
    self.pointer = pointer
  }

  isolated deinit {
    g_object_unref(pointer)
  }
}

@GLibActor
final class SecretItemReference {
  let pointer: UnsafeMutablePointer<SecretItem>

  private var proxy: UnsafeMutablePointer<GDBusProxy> {
    UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GDBusProxy.self)
  }

  /// The item's object path.
  var path: String {
    g_dbus_proxy_get_object_path(proxy).map { String(cString: $0) } ?? "/"
  }

  /// Whether the item's properties are cached. They are lost when the keyring leaves the bus, and libsecret asserts
  /// that they exist.
  var isKnown: Bool {
    ["Attributes", "Locked"].allSatisfy { name in
      guard let value = g_dbus_proxy_get_cached_property(proxy, name) else { return false }
      g_variant_unref(value)
      return true
    }
  }

  init(owning pointer: UnsafeMutablePointer<SecretItem>) {
    self.pointer = pointer
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
