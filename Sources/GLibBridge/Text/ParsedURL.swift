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

/// The address of a web page that is safe to open: `https:`, or `http:` on the loopback, with an unambiguous host.
/// Other schemes may start other programs.
public struct WebPageAddress: Sendable, Hashable {
  /// The address, in printable ASCII only.
  public let text: String

  /// Nil for any other address, including one with a user name, which could be mistaken for the host.
  ///
  /// - Parameter allowsPlainHTTP: whether `http` is allowed for all hosts, and not for this machine alone.
  public init?(_ text: String, allowsPlainHTTP: Bool = false) {
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !Self.forbidden.contains($0) }),
      let address = ParsedURL(text), !address.hasCredentials, let host = address.host, !host.isEmpty,
      address.scheme == "https" || address.scheme == "http" && (allowsPlainHTTP || address.isLoopback),
      // A person cannot read a percent-encoded host.
      text.dropFirst(address.scheme.count + 3).prefix(while: { !"/?#".contains($0) }).utf8
        .allSatisfy(Self.partsOfHost.contains)
    else { return nil }
    self.text = text
  }

  /// Scheme, host and port as they are written, in lower case.
  public var origin: String {
    let end = text.utf8.dropFirst(text.prefix { $0 != ":" }.utf8.count + 3).firstIndex { "/?#".utf8.contains($0) }
    return text[..<(end ?? text.endIndex)].lowercased()
  }

  /// Some programs treat a backslash as a slash. The other characters are not allowed in a URL.
  private static let forbidden = Set(#"\"<>^`{|}"#.utf8)

  private static let partsOfHost = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-:[]".utf8)
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
