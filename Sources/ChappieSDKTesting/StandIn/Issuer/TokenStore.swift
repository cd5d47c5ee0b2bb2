// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// The tokens that an issuer has issued, and their states.
@GLibActor
final class TokenStore {
  /// A sign-in. All tokens from its refreshes belong to it.
  struct SignIn {
    let id: String
    let issuer: String
    let clientID: String
    let resource: String
    let user: StandInUser
    let scopes: [String]

    var allowsPlanUse: Bool { scopes.contains(AuthorizationRequest.planUseScope) }
  }

  /// The tokens from a sign-in or a refresh.
  struct Tokens {
    let idToken: String
    let accessToken: String
    /// Nil without the scope `offline_access`.
    let refreshToken: String?
    let lifetime: Int
    /// The time from which the browser's issuer accepts a refresh, in Unix seconds.
    let earliestRefresh: Int
  }

  /// The reason why a refresh token is refused, with the code of the browser's issuer.
  enum RefreshError: String, Error {
    case unknown = "invalid_refresh_token"
    case reused = "refresh_token_reused"
    case revoked = "refresh_token_invalidated"
    case expired = "refresh_token_expired"
    case early = "invalid_grant"

    var text: String {
      switch self {
      case .unknown: "The refresh token is unknown."
      case .reused: "Your refresh token has already been used to generate a new access token."
      case .revoked: "Your refresh token has been revoked."
      case .expired: "The refresh token is too old."
      case .early: "The refresh comes before earliest_refresh_at."
      }
    }
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
    let signIn: SignIn
    /// The token whose refresh issued this one; nil for the first.
    let predecessor: String?
    let earliestUse: Int
    let expires: Int
  }

  /// The lifetime of access tokens that are issued from now on.
  var lifetime: Duration
  /// The lifetime of refresh tokens that are issued from now on; nil for no end.
  var refreshLifetime: Duration?
  var earlyRefresh: StandInConfiguration.EarlyRefresh
  /// Whether a refresh token stays valid until its successor is used.
  private let grace: Bool
  /// The keys of the browser's issuer; nil for a sign-in with a code.
  private let keys: SigningKeys?
  private let clock: StandInClock
  private var accessTokens: [String: (signIn: SignIn, expires: Int)] = [:]
  private var refreshTokens: [String: RefreshToken] = [:]

  /// - Parameter keys: nil for sign-ins with a code. In the browser, the second use of a refresh token ends the sign-in.
  init(_ configuration: StandInConfiguration, keys: SigningKeys?, clock: StandInClock) {
    let isBrowser = keys != nil
    lifetime = isBrowser ? configuration.browserTokenLifetime : configuration.accessTokenLifetime
    refreshLifetime = isBrowser ? configuration.browserRefreshLifetime : nil
    earlyRefresh = isBrowser ? configuration.earlyRefresh : .accepted
    grace = !isBrowser && configuration.refreshGrace
    self.keys = keys
    self.clock = clock
  }

  /// The number of valid refresh tokens.
  var liveRefreshTokens: Int {
    let now = clock.now
    return refreshTokens.values.count { ($0.state == .live || $0.state == .superseded) && $0.expires > now }
  }

  var revokedRefreshTokens: Int { refreshTokens.values.count { $0.state == .revoked } }

  // MARK: Issuing

  /// Exchanges a refresh token for new tokens of the same sign-in.
  func refresh(
    _ token: String, clientID: String, _ change: ChappieJSONValue? = nil
  ) throws(RefreshError) -> (signIn: SignIn, tokens: Tokens) {
    guard let known = refreshTokens[token], known.signIn.clientID == clientID else { throw .unknown }
    switch known.state {
    case .live, .superseded: break
    case .revoked: throw .revoked
    case .used:
      if keys != nil { revoke { $0.id == known.signIn.id } }
      throw .reused
    }
    guard known.expires > clock.now else { throw .expired }
    if known.earliestUse > clock.now, earlyRefresh != .accepted {
      if earlyRefresh == .spends { refreshTokens[token]?.state = .used }
      throw .early
    }
    refreshTokens[token]?.state = grace ? .superseded : .used
    if let predecessor = known.predecessor { refreshTokens[predecessor]?.state = .used }
    return (known.signIn, issue(known.signIn, change, replacing: token))
  }

  /// Issues the first tokens of a sign-in, or the next ones.
  ///
  /// - Parameters:
  ///   - nonce: the nonce of the authorization request; nil after a refresh.
  ///   - predecessor: the refresh token that the new one replaces.
  func issue(
    _ signIn: SignIn, nonce: String? = nil, _ change: ChappieJSONValue? = nil, replacing predecessor: String? = nil
  ) -> Tokens {
    let now = clock.now
    accessTokens = accessTokens.filter { $0.value.expires > now }
    let seconds = Int(lifetime.components.seconds)
    let mint = TokenMint(signIn: signIn, keys: keys, issuedAt: now, expiresAt: now + seconds)
    let tokens = Tokens(
      idToken: mint.idToken(nonce: nonce, change), accessToken: mint.accessToken(),
      refreshToken: signIn.scopes.contains("offline_access") ? "rt-" + RandomText.secret() : nil, lifetime: seconds,
      // Six minutes before the end of an hour, as seen of the live server. A short token can be refreshed at once.
      earliestRefresh: seconds < 10 ? now - 10 : now + seconds * 9 / 10)
    accessTokens[tokens.accessToken] = (signIn, mint.expiresAt)
    if let token = tokens.refreshToken {
      refreshTokens[token] = RefreshToken(
        signIn: signIn, predecessor: predecessor, earliestUse: tokens.earliestRefresh,
        expires: refreshLifetime.map { now + Int($0.components.seconds) } ?? .max)
    }
    return tokens
  }

  // MARK: Tokens

  /// The sign-in of a valid access token in a request, or in the handshake of its WebSocket; nil for any other.
  func signIn(of headers: HTTPHeaders) -> SignIn? {
    let words = (headers["authorization"] ?? "").split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bearer", let known = accessTokens[String(words[1])],
      known.expires > clock.now
    else { return nil }
    return known.signIn
  }

  /// The sign-in to which a token belongs, in any state.
  func signIn(ofToken token: String) -> SignIn? { refreshTokens[token]?.signIn ?? accessTokens[token]?.signIn }

  /// Revokes an access token, or the sign-in of a refresh token.
  func revoke(_ token: String) {
    accessTokens[token] = nil
    if let signIn = refreshTokens[token]?.signIn { revoke { $0.id == signIn.id } }
  }

  /// Ends the sign-ins that match: their tokens become invalid.
  func revoke(where matches: (SignIn) -> Bool) {
    revokeRefreshTokens(where: matches)
    accessTokens = accessTokens.filter { !matches($0.value.signIn) }
  }

  /// Makes all access tokens invalid, regardless of their `exp` claim.
  func expireAccessTokens() {
    accessTokens = [:]
  }

  /// Revokes the refresh tokens of the sign-ins that match; access tokens stay valid.
  func revokeRefreshTokens(where matches: (SignIn) -> Bool = { _ in true }) {
    for (token, known) in refreshTokens where known.state != .used && matches(known.signIn) {
      refreshTokens[token]?.state = .revoked
    }
  }
}
