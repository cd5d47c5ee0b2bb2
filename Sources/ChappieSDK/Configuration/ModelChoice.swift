/// The model that a client asks.
package enum ModelChoice: Sendable, Hashable {
  /// Nobody has chosen: the backend's catalogue decides.
  case standard
  /// This one, by its slug, and no other in its place.
  case chosen(String)

  /// The model that answers where nobody has chosen and the backend offers it.
  static let standardSlug = "gpt-5.5"

  /// Nil for no slug.
  init?(_ slug: String?) {
    guard let slug else { return nil }
    self = .chosen(slug)
  }
}
