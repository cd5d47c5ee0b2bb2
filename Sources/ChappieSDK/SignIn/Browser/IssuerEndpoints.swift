import GLibBridge

/// The addresses of an issuer, from its discovery document.
struct IssuerEndpoints: Sendable, Equatable {
  /// The longest address, in bytes.
  private static let lengthLimit = 2048

  let authorization: String
  let token: String
  let keys: String
  /// Nil when the issuer offers no revocation.
  let revocation: String?

  /// - Throws: ``ChappieAuthError/invalidResponse(_:)`` for a document of another issuer, or with an address at another
  ///   server: it would get the user's tokens.
  init(_ document: ChappieJSONValue, issuer: String) throws(ChappieAuthError) {
    guard document["issuer"]?.stringValue == issuer else {
      throw .invalidResponse("its description names another issuer")
    }
    func address(_ key: String) throws(ChappieAuthError) -> String? {
      guard let text = document[key]?.stringValue else { return nil }
      guard text.utf8.count <= Self.lengthLimit, !text.contains("#") else {
        throw .invalidResponse("its description has an address that cannot be used")
      }
      guard let origin = WebPageAddress(text)?.origin, origin == WebPageAddress(issuer)?.origin else {
        throw .invalidResponse("its description names another server")
      }
      return text
    }
    guard let authorization = try address("authorization_endpoint"), let token = try address("token_endpoint"),
      let keys = try address("jwks_uri")
    else { throw .invalidResponse("its description lacks an address") }
    self.authorization = authorization
    self.token = token
    self.keys = keys
    revocation = try address("revocation_endpoint")
  }
}
