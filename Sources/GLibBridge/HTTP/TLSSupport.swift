import CGLib

/// The TLS library of this process.
public enum TLSSupport {
  /// Whether GIO has a TLS library, as the package glib-networking brings one.
  public static var isInstalled: Bool { g_tls_backend_supports_tls(g_tls_backend_get_default()) != 0 }
}
