import GLibBridge
import HTTPTestServer

/// Decides who may use the public API: a sign-in in the browser whose user has allowed plan use.
@GLibActor
struct PublicAPIAccess {
  /// A refusal: one that the live server documents, or else one of a malformed request.
  struct Refusal: Error {
    let name: String
    /// The parameter to which the refusal applies.
    var param: String?
    var message = ""

    @GLibActor
    func response(at endpoint: StandInEndpoint) -> HTTPServerResponse {
      NamedRefusal(name, at: endpoint)?.response(param: param)
        ?? .error(400, name, message)
    }
  }

  let issuer: BrowserIssuer

  /// The answer to a path that does not take plan use.
  static var otherRoute: HTTPServerResponse {
    Refusal(name: "subscription_sharing_route_not_supported").response(at: .apiResponses)
  }

  /// An answer with the id that each answer has, a rule's own too.
  static func identified(_ answer: HTTPServerAnswer) -> HTTPServerAnswer {
    let id = (name: "x-request-id", value: "req_" + RandomText.hex(bytes: 16))
    switch answer {
    case .whole(var response):
      response.head.headers.append(id)
      return .whole(response)
    case .stream(var head, let body):
      head.headers.append(id)
      return .stream(head, body)
    case .drop, .webSocket: return answer
    }
  }

  /// The sign-in of a request.
  ///
  /// - Parameter isModelCall: whether the request uses the plan.
  func signIn(of request: HTTPServerRequest, isModelCall: Bool) throws(Refusal) -> BrowserTokens.SignIn {
    let words = (request.headers["authorization"] ?? "").split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bearer",
      let signIn = issuer.tokens.signIn(ofAccessToken: String(words[1]))
    else { throw Refusal(name: "invalid_token") }
    guard signIn.allowsPlanUse else { throw Refusal(name: "chatpass_v2_scope_not_authorized") }
    guard isModelCall else { return signIn }
    switch issuer.registrations[signIn.clientID]?.planUse ?? .enabled {
    case .enabled: return signIn
    case .notEligible: throw Refusal(name: "subscription_sharing_user_not_eligible")
    case .limitReached: throw Refusal(name: "subscription_sharing_usage_limit_exceeded")
    case .unavailable: throw Refusal(name: "subscription_sharing_usage_unavailable")
    }
  }
}
