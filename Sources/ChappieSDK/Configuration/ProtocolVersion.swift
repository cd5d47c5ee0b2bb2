import GLibBridge

/// The version of the backend's protocol, given as the version of the Codex client that speaks the same protocol. The
/// backend hides models that need a newer version and refuses requests to them.
enum ProtocolVersion {
  static let current = "0.163.0"
}

extension HTTPRequest {
  /// Adds the name of this client and its protocol version. This client does not pretend to be another.
  mutating func identify() {
    setHeader("originator", "chappie")
    setHeader("version", ProtocolVersion.current)
  }
}
