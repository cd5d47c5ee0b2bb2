import GLibBridge

/// The developer of an app, as the app's id names it.
enum Developer {
  /// Hosts that give each developer a name below their own. They are not in the list of public suffixes.
  private static let hosts: Set<String> = [
    "github.com", "gitlab.com", "codeberg.org", "frama.io", "sourceforge.net", "sourceforge.io",
  ]

  /// The developer's domain, such as `example.org` for `org.example.App` and `alice.github.io` for
  /// `io.github.alice.App`. Nil for a snap, whose name has no domain, and for an id below no domain of a developer.
  static func domain(of app: AppID) -> String? {
    guard !app.isSnap else { return nil }
    // An id has `_` in place of `-`, and its first parts are the domain in reverse.
    let parts = app.text.lowercased().map { $0 == "_" ? "-" : $0 }.split(separator: ".").dropLast()
    guard let domain = RegistrableDomain.of(parts.reversed().map { String($0) }.joined(separator: ".")) else {
      return nil
    }
    guard hosts.contains(domain) else { return domain }
    return parts.dropFirst(2).first.map { "\(String($0)).\(domain)" }
  }
}
