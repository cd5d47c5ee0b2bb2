/// The servers for requests, and the client id of this program there.
///
/// Only this package's own programs and test fixtures choose it. An app cannot send a user's credential to another
/// host.
public struct ChappieBackend: Sendable, Hashable {
  package let issuer: String
  package let baseURL: String
  package let clientID: String

  package static let production = ChappieBackend(
    unchecked: "https://auth.openai.com", "https://chatgpt.com/backend-api", productionClientID)

  package static let productionClientID = "app_EMoamEEZ73f0CkXaXp7hrann"

  /// - Parameters:
  ///   - issuer: the server for sign-ins.
  ///   - baseURL: the address of the `…/backend-api`.
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` for a URL that is neither HTTPS nor on the loopback.
  package init(issuer: String, baseURL: String, clientID: String = productionClientID) throws {
    self.init(unchecked: try Self.checked(issuer), try Self.checked(baseURL), clientID)
  }

  private init(unchecked issuer: String, _ baseURL: String, _ clientID: String) {
    self.issuer = issuer
    self.baseURL = baseURL
    self.clientID = clientID
  }

  private static func checked(_ url: String) throws -> String {
    guard let parts = WebAddress(url), parts.isHTTPS || parts.isLoopback else {
      throw ChappieClientError.invalidArgument(
        "'\(url)' is not an HTTPS address: plain HTTP is for the loopback alone.")
    }
    return url.hasSuffix("/") ? String(url.dropLast()) : url
  }
}
