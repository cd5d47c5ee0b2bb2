// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import GLibBridge

/// The authorization requests that wait for a decision, and the codes of those that a user approved.
@GLibActor
final class Authorizations {
  /// An approved request. Its code can be redeemed once.
  struct Approval {
    let request: AuthorizationRequest
    let clientID: String
    let user: StandInUser
    let scopes: [String]
  }

  private static let lifetime = 600.0
  private var waiting: [String: (request: AuthorizationRequest, expires: Date)] = [:]
  /// A code that was redeemed has the id of the sign-in that came of it.
  private var codes: [String: (approval: Approval, expires: Date, signIn: String?)] = [:]

  /// Keeps a request until a user decides, and returns the id for the form.
  func wait(for request: AuthorizationRequest) -> String {
    let now = Date()
    waiting = waiting.filter { $0.value.expires > now }
    let id = RandomText.hex(bytes: 16)
    waiting[id] = (request, now.addingTimeInterval(Self.lifetime))
    return id
  }

  /// Takes a request that waits; nil if the id is unknown, expired or used.
  func take(_ id: String) -> AuthorizationRequest? {
    guard let entry = waiting.removeValue(forKey: id), entry.expires > Date() else { return nil }
    return entry.request
  }

  /// Issues the code of an approved request.
  func issueCode(_ approval: Approval) -> String {
    let code = "ac-" + RandomText.secret()
    codes[code] = (approval, Date().addingTimeInterval(Self.lifetime), nil)
    return code
  }

  /// Redeems a code for the sign-in with the id `signIn`. A wrong client uses it up as well.
  ///
  /// - Returns: the approval, and the sign-in for which the code was redeemed before; nil for an unknown code.
  func redeem(_ code: String, signIn: String) -> (approval: Approval, earlier: String?)? {
    guard let known = codes[code], known.expires > Date() else { return nil }
    codes[code]?.signIn = known.signIn ?? signIn
    return (known.approval, known.signIn)
  }
}
