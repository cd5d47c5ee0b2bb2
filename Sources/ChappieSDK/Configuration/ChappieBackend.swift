// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The servers for requests, and the client id of this program there.
///
/// Only this package's own programs and test fixtures choose it. An app cannot send a user's credential to another
/// host.
public struct ChappieBackend: Sendable, Hashable {
  package let issuer: String
  /// The address of the `…/backend-api` that answers sign-ins with a code.
  package let baseURL: String
  /// The address of the public API that answers sign-ins in the browser, with its version.
  package let apiURL: String
  /// The client id of sign-ins with a code. A sign-in in the browser gets one issued.
  package let clientID: String

  package static let production = ChappieBackend(
    unchecked: "https://auth.openai.com", "https://chatgpt.com/backend-api", productionAPI, productionClientID)

  package static let productionAPI = "https://api.openai.com/v1"

  package static let productionClientID = "app_EMoamEEZ73f0CkXaXp7hrann"

  /// - Parameters:
  ///   - issuer: the server for sign-ins.
  ///   - baseURL: the address of the `…/backend-api`.
  ///   - apiURL: the address of the public API, with its version.
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` for a URL that is neither HTTPS nor on the loopback.
  package init(
    issuer: String, baseURL: String, apiURL: String = productionAPI, clientID: String = productionClientID
  ) throws {
    self.init(
      unchecked: try Self.checked(issuer), try Self.checked(baseURL), try Self.checked(apiURL), clientID)
  }

  private init(unchecked issuer: String, _ baseURL: String, _ apiURL: String, _ clientID: String) {
    self.issuer = issuer
    self.baseURL = baseURL
    self.apiURL = apiURL
    self.clientID = clientID
  }

  private static func checked(_ url: String) throws -> String {
    guard let parts = ParsedURL(web: url), parts.scheme == "https" || parts.isLoopback else {
      throw ChappieClientError.invalidArgument(
        "'\(url)' is not an HTTPS address: plain HTTP is for the loopback alone.")
    }
    return url.hasSuffix("/") ? String(url.dropLast()) : url
  }
}

/// The version of the backend's protocol, given as the version of the Codex client that speaks the same protocol. The
/// backend hides models that need a newer version and refuses requests to them.
enum ProtocolVersion {
  static let current = "0.163.0"
}
