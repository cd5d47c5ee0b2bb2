import ChappieSDK
import GLibBridge
import SecretMemory

/// The tokens of browser sign-ins. Each refresh replaces the refresh token, and the second use of one ends the sign-in.
@GLibActor
final class BrowserTokens {
  /// A sign-in. All tokens from its refreshes belong to it.
  struct SignIn {
    let id: String
    let issuer: String
    let clientID: String
    let resource: String
    let user: StandInUser
    let scopes: [String]

    var subject: String { BrowserTokens.subject(of: user, clientID: clientID) }

    var allowsPlanUse: Bool { scopes.contains(AuthorizationRequest.planUseScope) }
  }

  /// The tokens from an exchange or a refresh.
  struct Tokens {
    let idToken: String
    let accessToken: String
    /// Nil without the scope `offline_access`.
    let refreshToken: String?
    let lifetime: Int
    /// The time from which a refresh is accepted, in Unix seconds.
    let earliestRefresh: Int
  }

  /// The reason why a refresh token is refused.
  enum RefreshError: Error {
    case unknown
    case reused
    case revoked
    case expired
    case early
  }

  private struct RefreshToken {
    enum State {
      case live
      case used
      case revoked
    }

    var state = State.live
    let signIn: SignIn
    let earliestUse: Int
    let expires: Int
  }

  /// The lifetime of access tokens that are issued from now on.
  var lifetime: Duration
  /// The lifetime of refresh tokens that are issued from now on.
  var refreshLifetime: Duration
  var earlyRefresh: StandInConfiguration.EarlyRefresh
  private let keys: SigningKeys
  private let clock: StandInClock
  private var accessTokens: [String: (signIn: SignIn, expires: Int)] = [:]
  private var refreshTokens: [String: RefreshToken] = [:]

  init(_ configuration: StandInConfiguration, keys: SigningKeys, clock: StandInClock) {
    lifetime = configuration.browserTokenLifetime
    refreshLifetime = configuration.browserRefreshLifetime
    earlyRefresh = configuration.earlyRefresh
    self.keys = keys
    self.clock = clock
  }

  /// The number of valid refresh tokens.
  var liveRefreshTokens: Int {
    let now = clock.now
    return refreshTokens.values.count { $0.state == .live && $0.expires > now }
  }

  var revokedRefreshTokens: Int { refreshTokens.values.count { $0.state == .revoked } }

  /// Issues the next tokens of a sign-in.
  ///
  /// - Parameter nonce: the nonce of the authorization request; nil after a refresh.
  func issue(_ signIn: SignIn, nonce: String?, _ change: IDTokenChange?) -> Tokens {
    let now = clock.now
    accessTokens = accessTokens.filter { $0.value.expires > now }
    let seconds = Int(lifetime.components.seconds)
    let mint = BrowserTokenMint(signIn: signIn, keys: keys, issuedAt: now, expiresAt: now + seconds)
    let tokens = Tokens(
      idToken: mint.idToken(nonce: nonce, change), accessToken: mint.accessToken(),
      refreshToken: signIn.scopes.contains("offline_access") ? TokenMint.refreshToken() : nil, lifetime: seconds,
      // Six minutes before the end of an hour, as seen of the live server. A short token can be refreshed at once.
      earliestRefresh: seconds < 10 ? now - 10 : now + seconds * 9 / 10)
    accessTokens[tokens.accessToken] = (signIn, mint.expiresAt)
    if let token = tokens.refreshToken {
      refreshTokens[token] = RefreshToken(
        signIn: signIn, earliestUse: tokens.earliestRefresh, expires: now + Int(refreshLifetime.components.seconds))
    }
    return tokens
  }

  /// Uses up a refresh token, and returns its sign-in.
  func redeem(_ token: String, clientID: String) throws(RefreshError) -> SignIn {
    guard let known = refreshTokens[token], known.signIn.clientID == clientID else { throw .unknown }
    switch known.state {
    case .live: break
    case .revoked: throw .revoked
    case .used:
      revoke { $0.id == known.signIn.id }
      throw .reused
    }
    guard known.expires > clock.now else { throw .expired }
    if known.earliestUse > clock.now, earlyRefresh != .accepted {
      if earlyRefresh == .spends { refreshTokens[token]?.state = .used }
      throw .early
    }
    refreshTokens[token]?.state = .used
    return known.signIn
  }

  /// The sign-in of an access token; nil if it is not valid now.
  func signIn(ofAccessToken token: String) -> SignIn? {
    guard let known = accessTokens[token], known.expires > clock.now else { return nil }
    return known.signIn
  }

  /// Ends the sign-in of a token, if the token is known.
  func revoke(_ token: String, clientID: String) {
    guard let signIn = refreshTokens[token]?.signIn ?? accessTokens[token]?.signIn, signIn.clientID == clientID else {
      return
    }
    revoke { $0.id == signIn.id }
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

  /// The claim `sub`: it differs from application to application, because nobody says that it does not.
  nonisolated static func subject(of user: StandInUser, clientID: String) -> String {
    let digest = SHA256.digest(of: Array("\(clientID) \(user.userID)".utf8))
    return "user-" + RandomText.base64URL(Array(digest.prefix(15)))
  }
}
