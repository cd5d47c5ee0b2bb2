// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import GLibBridge
import SecretMemory

/// The pending device-code sign-ins.
@GLibActor
final class DeviceAuthorizations {
  /// The authorization code that a client exchanges for tokens.
  struct Approval {
    let code = "ac-" + RandomText.secret()
    let verifier = RandomText.secret()
    let user: StandInUser

    /// The PKCE challenge of the verifier.
    var challenge: String { Base64URL.encode(SHA256.digest(of: Array(verifier.utf8))) }
  }

  enum State {
    case waiting
    case approved(Approval)
    case declined
  }

  struct Authorization {
    let id: String
    let userCode: String
    let clientID: String
    let expires: Date
    var state = State.waiting
  }

  private let lifetime: Duration
  private var authorizations: [String: Authorization] = [:]

  init(lifetime: Duration) {
    self.lifetime = lifetime
  }

  /// Issues a user code.
  func start(clientID: String) -> Authorization {
    let now = Date()
    authorizations = authorizations.filter { $0.value.expires > now }
    let authorization = Authorization(
      id: "deviceauth_" + RandomText.hex(bytes: 16), userCode: RandomText.userCode(), clientID: clientID,
      expires: now.addingTimeInterval(Double(lifetime.components.seconds)))
    authorizations[authorization.id] = authorization
    return authorization
  }

  /// The state of a sign-in; nil if it is unknown or expired.
  func state(id: String, userCode: String) -> State? {
    guard let authorization = authorizations[id], authorization.expires > Date(),
      Self.normalized(userCode) == Self.normalized(authorization.userCode)
    else { return nil }
    return authorization.state
  }

  /// Approves or declines a sign-in. The code may be in any case, with or without its dash.
  ///
  /// - Parameter user: the user who approves; nil declines.
  /// - Returns: whether a pending sign-in has this code.
  func decide(userCode: String, user: StandInUser?) -> Bool {
    let typed = Self.normalized(userCode)
    let match = authorizations.values.first {
      guard case .waiting = $0.state else { return false }
      return $0.expires > Date() && Self.normalized($0.userCode) == typed
    }
    guard let match else { return false }
    authorizations[match.id]?.state = user.map { .approved(Approval(user: $0)) } ?? .declined
    return true
  }

  /// Redeems an authorization code. Each code can be redeemed once.
  func redeem(code: String, clientID: String, verifier: String) -> Approval? {
    for (id, authorization) in authorizations {
      guard case .approved(let approval) = authorization.state, approval.code == code else { continue }
      guard authorization.clientID == clientID, approval.verifier == verifier else { return nil }
      authorizations[id] = nil
      return approval
    }
    return nil
  }

  private static func normalized(_ code: String) -> String {
    code.filter { $0.isLetter || $0.isNumber }.uppercased()
  }
}
