/// Which model a client asks.
package enum ModelChoice: Sendable, Hashable {
  /// Nobody has chosen: the backend's catalogue decides.
  case standard
  /// This one, by its slug, and no other in its place.
  case chosen(String)

  /// Nil for no slug.
  init?(_ slug: String?) {
    guard let slug else { return nil }
    self = .chosen(slug)
  }
}

/// How the slug of the model that a client asks is known.
package enum ModelSource: String, Sendable {
  /// A caller or the configuration has chosen it.
  case chosen
  /// Nobody has chosen, and the backend offers it.
  case catalogue
  /// Nobody has chosen, and the backend was not asked yet what it offers.
  case unconfirmed
}
