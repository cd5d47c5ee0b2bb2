/// What the stand-in counts requests by and what the rules of a scenario name.
enum StandInEndpoint: String, CaseIterable, Sendable {
  case userCode = "usercode"
  case poll
  case token
  case refresh
  case revoke
  case responses
  /// `/codex/device`
  case page
  /// Addresses that the stand-in does not know.
  case unknown

  /// Those that a scenario can change.
  static let scripted: [StandInEndpoint] = [.userCode, .poll, .token, .refresh, .revoke, .responses]
}
