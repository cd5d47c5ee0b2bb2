// SPDX-License-Identifier: Apache-2.0
import CGLib
import CLibsoup

/// An absolute URL, parsed by GLib.
public struct ParsedURL: Sendable {
  public let scheme: String
  public let host: String?
  public let hasCredentials: Bool
  /// Empty where there is none.
  public let path: String

  /// Nil when `text` is not an absolute URL.
  public init?(_ text: String) {
    guard let uri = g_uri_parse(text, G_URI_FLAGS_NONE, nil) else { return nil }
    defer { g_uri_unref(uri) }
    scheme = String(cString: g_uri_get_scheme(uri)).lowercased()
    host = g_uri_get_host(uri).map { String(cString: $0).lowercased() }
    hasCredentials = g_uri_get_userinfo(uri) != nil
    path = String(cString: g_uri_get_path(uri))
  }

  /// Whether the host is `localhost` or a loopback address.
  public var isLoopback: Bool {
    guard let host else { return false }
    guard host != "localhost" else { return true }
    guard let address = g_inet_address_new_from_string(host) else { return false }
    defer { g_object_unref(address) }
    return g_inet_address_get_is_loopback(address) != 0
  }
}

/// The part of a host name that one owner has registered, by the list of public suffixes: `example.org` of
/// `www.example.org`, and `alice.github.io` of itself.
public enum RegistrableDomain {
  /// Nil for a public suffix, such as `co.uk` or `github.io`, for a name without a known suffix, and where libsoup has
  /// no list.
  public static func of(_ host: String) -> String? {
    // The result points into the argument, so it is copied before the argument ends.
    host.withCString { host in soup_tld_get_base_domain(host, nil).map { String(cString: $0) } }
  }
}
