import GLibBridge

/// The version of the backend's protocol that this client speaks: that of the Codex client which speaks the same. The
/// backend leaves out models that want a newer one, and refuses requests to them.
enum ProtocolVersion {
  static let current = "0.163.0"
}

extension HTTPRequest {
  /// Says which client asks, and which protocol it speaks. Nothing here pretends to be another client.
  mutating func identify() {
    setHeader("originator", "chappie")
    setHeader("version", ProtocolVersion.current)
  }
}
