import CLibsoup

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
