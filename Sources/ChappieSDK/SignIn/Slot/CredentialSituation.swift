// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory

/// All that decides what to do with a stored credential.
struct CredentialSituation: Sendable {
  /// What the credential is wanted for.
  enum Purpose: Sendable, CaseIterable {
    /// A request to the backend.
    case request
    /// A request that the backend has refused with this access token.
    case replacement
    /// Nobody uses the sign-in, and it must not end for that.
    case upkeep
  }

  /// What the token endpoint has said about the refresh token.
  enum Refusal: Sendable, CaseIterable {
    case none
    /// It was refused within the pause.
    case recent
    /// It was refused once, before the pause.
    case old
    /// It was refused for good.
    case final
  }

  /// What was tried, and failed.
  enum Obstacle: Sendable {
    case none
    /// The issuer answered without a time.
    case issuerWithoutTime
    case issuerUnreachable(CredentialError)
    case keyringLocked(CredentialError)
  }

  /// A refresh comes this many seconds after the earliest time, because not all servers of an issuer have the same one.
  static let margin: Int64 = 3
  /// A refresh token lives for 30 days, in seconds. An earliest time further away comes from a clock that was wrong.
  static let longestWait: Int64 = 2_592_000

  var purpose: Purpose
  /// Whether another program has renewed the credential since a refresh was wanted. One refresh is enough for all.
  var isRenewed: Bool
  /// Whether refreshed tokens exist that the store has not taken yet.
  var hasPending: Bool
  var refusal: Refusal
  /// Whether the refresh token was sent to a server that takes it once.
  var isMarked: Bool
  /// Whether the server takes each refresh token once. A refresh that comes too early then ends the sign-in.
  var redeemsOnce: Bool
  var validity: TokenValidity
  var time: IssuerTime
  var obstacle = Obstacle.none

  var step: CredentialStep {
    if hasPending { return .storePending }
    if refusal != .none, purpose == .upkeep { return .use }
    if refusal == .recent || refusal == .final { return .askUser }
    guard isDue, !(isRenewed && isUsable) else { return .use }
    if isMarked {
      if purpose == .upkeep || isUsable { return .use }
      if purpose == .replacement || refusal == .old { return .giveUp }
    }
    switch obstacle {
    case .issuerUnreachable(let error) where !time.isKnown, .keyringLocked(let error):
      return isUsable ? .use : .fail(error)
    case .none, .issuerWithoutTime, .issuerUnreachable: break
    }
    guard let now else { return .askTime }
    if isMarked { return .giveUp }
    if let earliest = validity.earliestRefresh, earliest <= now + Self.longestWait, now < earliest + Self.margin {
      return isUsable || purpose == .upkeep ? .use : .wait
    }
    return .renew
  }

  private var isDue: Bool {
    switch purpose {
    case .request: refusal == .old || validity.dueAt <= time.latest || validity.isExpired(at: time.latest)
    case .replacement: true
    case .upkeep: validity.keepAliveAt.map { $0 <= time.latest } ?? false
    }
  }

  /// Whether the access token may still be valid.
  private var isUsable: Bool {
    purpose != .replacement && refusal == .none && !validity.isExpired(at: time.earliest)
  }

  /// The time to go by; nil when the issuer must be asked.
  private var now: Timestamp? {
    if !redeemsOnce { return time.latest }
    if !time.isKnown, case .none = obstacle { return nil }
    return time.earliest
  }
}

/// What to do with a stored credential.
enum CredentialStep: Sendable, Equatable {
  /// Use its access token, and leave the rest as it is.
  case use
  /// Store the refreshed tokens, then use them.
  case storePending
  /// Ask the issuer for its time, then decide again.
  case askTime
  /// Redeem the refresh token.
  case renew
  /// Tell the caller that the issuer renews the sign-in later.
  case wait
  /// Tell the caller what is in the way. The sign-in stays.
  case fail(CredentialError)
  /// Only a new sign-in helps, which is known already.
  case askUser
  /// The answer to the renewal was lost and the access token is of no use: store that, and ask for a new sign-in.
  case giveUp
}

/// Refreshed tokens that the store has not taken yet. The server no longer accepts their predecessors.
struct PendingCredential {
  let credential: EncryptedCredential
  let predecessor: EncryptedCredential
  let accessibility: ChappieKeychainAccessibility
  /// Keeps the slot alive until the store has the tokens, because they must outlive the caller that needed them.
  let slot: CredentialSlot

  /// Whether these tokens replace `stored`. They may be `stored` itself, if the store took them and still reported a
  /// failure.
  func isNewer(than stored: Credential) -> Bool {
    [predecessor, credential].contains { stored.accessToken.isEqual(to: $0.credential.accessToken) }
  }
}
