import ChappieSDK
import GLibBridge

/// What the service is told at its start: by its command line, then by `chappie/chappie.conf`.
public struct ServiceOptions: Sendable {
  public var issuer: String?
  public var baseURL: String?
  public var clientID: String?
  public var model: String?

  public init(issuer: String? = nil, baseURL: String? = nil) {
    self.issuer = issuer
    self.baseURL = baseURL
  }

  /// Fills what the command line left open from the user's configuration file, then from the system's.
  ///
  /// - Throws: `GLibError` when a file exists and is not a key file.
  public mutating func readConfiguration() throws {
    for directory in [Directories.configuration] + Directories.systemConfiguration {
      let path = directory + "/chappie/chappie.conf"
      guard Files.exists(path) else { continue }
      let file = try KeyFile(path: path)
      issuer = issuer ?? file.string("Backend", "Issuer")
      baseURL = baseURL ?? file.string("Backend", "BaseURL")
      clientID = clientID ?? file.string("Backend", "ClientID")
      model = model ?? file.string("Client", "Model")
    }
  }

  /// The configuration that callers' own ones start from.
  ///
  /// - Throws: `ChappieClientError.invalidArgument` for an address that is neither HTTPS nor on the loopback.
  func defaults() throws -> ChappieConfiguration {
    var configuration = ChappieConfiguration()
    let production = ChappieBackend.production
    configuration.backend = try ChappieBackend(
      issuer: issuer ?? production.issuer, baseURL: baseURL ?? production.baseURL,
      clientID: clientID ?? production.clientID)
    if let model { configuration.model = model }
    return configuration
  }
}
