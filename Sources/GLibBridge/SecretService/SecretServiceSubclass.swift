import CGLib
import CLibsecret

/// Helpers for subclasses of `SecretService` with their own prompt functions.
enum SecretServiceSubclass {
  /// Registers the GObject type `name`. `initialize` sets up its class.
  static func register(_ name: String, _ initialize: @escaping GClassInitFunc) -> GType {
    let parent = secret_service_get_type()
    var query = GTypeQuery()
    g_type_query(parent, &query)
    return g_type_register_static_simple(
      parent, name, query.class_size, initialize, query.instance_size, nil, GTypeFlags(rawValue: 0))
  }

  static func error(_ domain: String, _ message: String) -> UnsafeMutablePointer<GError>? {
    g_error_new_literal(g_quark_from_string(domain), 0, message)
  }
}
