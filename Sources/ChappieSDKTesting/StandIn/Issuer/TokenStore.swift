import GLibBridge

/// The tokens that the issuer has issued, and their states.
@GLibActor
final class TokenStore {
  /// The tokens from a sign-in or a refresh.
  struct Tokens {
    let idToken: String
    let accessToken: String
    let refreshToken: String
    let lifetime: Int
  }

  /// The reason why a refresh token is refused.
  enum RefreshError: Error {
    case unknown
    case reused
    case revoked
  }

  /// A sign-in. All tokens from its refreshes belong to it.
  private struct Grant {
    let id: String
    let issuer: String
    let clientID: String
    let user: StandInUser
  }

  private struct AccessToken {
    let grant: Grant
    let expires: Int
  }

  private struct RefreshToken {
    enum State {
      case live
      /// Used once, and valid until its successor is used.
      case superseded
      case used
      case revoked
    }

    var state = State.live
    let grant: Grant
    /// The token whose refresh issued this one; nil for the first.
    let predecessor: String?
  }

  /// The lifetime of access tokens that are issued from now on.
  var lifetime: Duration
  private let grace: Bool
  private let clock: StandInClock
  private var accessTokens: [String: AccessToken] = [:]
  private var refreshTokens: [String: RefreshToken] = [:]

  /// - Parameter grace: whether a refresh token stays valid until its successor is used.
  init(lifetime: Duration, grace: Bool, clock: StandInClock) {
    self.lifetime = lifetime
    self.grace = grace
    self.clock = clock
  }

  /// The number of valid refresh tokens.
  var liveRefreshTokens: Int {
    refreshTokens.values.count { $0.state == .live || $0.state == .superseded }
  }

  var revokedRefreshTokens: Int {
    refreshTokens.values.count { $0.state == .revoked }
  }

  /// Issues the tokens of a new sign-in.
  func signIn(_ user: StandInUser, issuer: String, clientID: String) -> Tokens {
    issue(Grant(id: RandomText.hex(bytes: 8), issuer: issuer, clientID: clientID, user: user), replacing: nil)
  }

  /// Exchanges a refresh token for new tokens of the same sign-in.
  func refresh(_ token: String, clientID: String) throws(RefreshError) -> Tokens {
    guard let known = refreshTokens[token], known.grant.clientID == clientID else { throw .unknown }
    switch known.state {
    case .live, .superseded: break
    case .used: throw .reused
    case .revoked: throw .revoked
    }
    refreshTokens[token]?.state = grace ? .superseded : .used
    if let predecessor = known.predecessor { refreshTokens[predecessor]?.state = .used }
    return issue(known.grant, replacing: token)
  }

  /// The user of an access token; nil if it is not valid now.
  func user(ofAccessToken token: String) -> StandInUser? {
    guard let known = accessTokens[token], known.expires > clock.now else { return nil }
    return known.grant.user
  }

  /// Revokes a token. For a refresh token, it revokes all tokens of the sign-in.
  func revoke(_ token: String) {
    accessTokens[token] = nil
    guard let grant = refreshTokens[token]?.grant else { return }
    revokeRefreshTokens { $0.id == grant.id }
    accessTokens = accessTokens.filter { $0.value.grant.id != grant.id }
  }

  /// Makes all access tokens invalid, regardless of their `exp` claim.
  func expireAccessTokens() {
    accessTokens = [:]
  }

  /// Revokes all refresh tokens; access tokens stay valid.
  func revokeRefreshTokens() {
    revokeRefreshTokens { _ in true }
  }

  private func revokeRefreshTokens(where matches: (Grant) -> Bool) {
    for (token, known) in refreshTokens where known.state != .used && matches(known.grant) {
      refreshTokens[token]?.state = .revoked
    }
  }

  private func issue(_ grant: Grant, replacing predecessor: String?) -> Tokens {
    let now = clock.now
    accessTokens = accessTokens.filter { $0.value.expires > now }
    let mint = TokenMint(
      issuer: grant.issuer, clientID: grant.clientID, user: grant.user, issuedAt: now,
      expiresAt: now + Int(lifetime.components.seconds))
    let tokens = Tokens(
      idToken: mint.idToken(), accessToken: mint.accessToken(), refreshToken: TokenMint.refreshToken(),
      lifetime: mint.expiresAt - mint.issuedAt)
    accessTokens[tokens.accessToken] = AccessToken(grant: grant, expires: mint.expiresAt)
    refreshTokens[tokens.refreshToken] = RefreshToken(grant: grant, predecessor: predecessor)
    return tokens
  }
}
