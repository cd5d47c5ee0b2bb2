/// The model for a client's requests.
package enum ModelChoice: Sendable, Hashable {
  /// No model is chosen: the backend's catalogue decides.
  case standard
  /// The model with this slug and no other.
  case chosen(String)

  /// The model for answers when none is chosen and the backend offers it.
  static let standardSlug = "gpt-5.5"

  /// Returns nil when `slug` is nil.
  init?(_ slug: String?) {
    guard let slug else { return nil }
    self = .chosen(slug)
  }
}
