/// Whether a tool runs when the model calls it.
public enum ChappieToolPolicy: String, Sendable, Hashable, Codable, CaseIterable {
  /// It runs at once.
  case automatic
  /// It runs when the user has approved this call.
  case ask
  /// It does not run; the model is told so.
  case deny
}
