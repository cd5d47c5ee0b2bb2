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

  /// The reason why a code is refused.
  enum CodeError: Error {
    case unknown
    /// The code was redeemed before; the sign-in of this id came of it.
    case reused(signIn: String)
  }

  private struct Code {
    enum State {
      case live
      case used(signIn: String)
    }

    let approval: Approval
    let expires: Date
    var state = State.live
  }

  private static let lifetime = 600.0
  private var waiting: [String: (request: AuthorizationRequest, expires: Date)] = [:]
  private var codes: [String: Code] = [:]

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
    codes[code] = Code(approval: approval, expires: Date().addingTimeInterval(Self.lifetime))
    return code
  }

  /// Redeems a code for the sign-in with the id `signIn`. A wrong client uses it up as well.
  func redeem(_ code: String, signIn: String) throws(CodeError) -> Approval {
    guard let known = codes[code], known.expires > Date() else { throw .unknown }
    if case .used(let earlier) = known.state { throw .reused(signIn: earlier) }
    codes[code]?.state = .used(signIn: signIn)
    return known.approval
  }
}
