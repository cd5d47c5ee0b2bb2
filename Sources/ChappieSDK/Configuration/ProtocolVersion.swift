/// The version of the backend's protocol, given as the version of the Codex client that speaks the same protocol. The
/// backend hides models that need a newer version and refuses requests to them.
enum ProtocolVersion {
  static let current = "0.163.0"
}
