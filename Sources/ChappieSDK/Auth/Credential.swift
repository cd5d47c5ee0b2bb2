import SecretMemory

/// What a sign-in gave. The tokens stay in guarded memory; only this module can read them.
struct Credential: Sendable {
  /// Which sign-in method made it, and keeps it fresh.
  var method: String
  var accessToken: SecretBytes
  var refreshToken: SecretBytes?
  var idToken: SecretBytes?
  /// When the tokens were last renewed: Unix seconds.
  var renewedAt: Int64
}
