// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import HTTPTestServer

/// A refusal that the live servers document for “Sign in with ChatGPT”, by name.
struct NamedRefusal: Sendable {
  /// The form of the body.
  enum Form {
    /// `{"detail": …}`, before the request is admitted.
    case detail(ChappieJSONValue)
    /// `{"error": {"code": …, "param": …, "message": …}}`, of the Responses layer.
    case error
    /// `{"error": "…"}`, of the token endpoint.
    case oauth
  }

  let name: String
  let status: Int
  let form: Form

  /// The endpoints with refusals.
  static let endpoints = Set(StandInEndpoint.allCases.filter { !all(at: $0).isEmpty })

  /// The refusal with a name at an endpoint; nil if there is none.
  static func named(_ name: String, at endpoint: StandInEndpoint) -> NamedRefusal? {
    all(at: endpoint).first { $0.name == name }
  }

  // MARK: Answers

  /// - Parameter param: the parameter that `subscription_sharing_unsupported_capability` names.
  func response(param: String?, headers: HeaderFields = []) -> HTTPServerResponse {
    switch form {
    case .detail(let detail): .json(["detail": detail], status: status, headers: headers)
    case .error: .json(["error": error(param: param)], status: status, headers: headers)
    case .oauth: .oauthError(name, "A rule of the scenario refuses this.", status: status, headers: headers)
    }
  }

  /// The event in which a refusal comes.
  enum Event: String, CaseIterable {
    /// `response.failed`, of an answer that has begun.
    case failed
    /// `error`, with the members of the error.
    case flat = "error"
    /// `error`, with a member `error`.
    case nested = "nested-error"

    static let form = JSONForm("true, false or one of \(names)") { value in
      value.boolValue != nil || value.stringValue.flatMap(Event.init) != nil
    }
  }

  /// The refusal in the stream of an answer; nil for one that only comes before.
  func events(_ event: Event, param: String?) -> [ChappieJSONValue]? {
    guard case .error = form else { return nil }
    let error = error(param: param)
    switch event {
    case .flat: return [.object((error.objectValue ?? [:]).merging(["type": "error", "sequence_number": 0]) { $1 })]
    case .nested: return [["type": "error", "error": error]]
    case .failed: break
    }
    let id = ChappieJSONValue.string("resp_" + RandomText.hex(bytes: 16))
    return [
      ["type": "response.created", "response": ["id": id, "status": "in_progress"]],
      ["type": "response.failed", "response": ["id": id, "status": "failed", "error": error]],
    ]
  }

  private func error(param: String?) -> ChappieJSONValue {
    [
      "code": .string(name), "param": param.map { .string($0) } ?? .null,
      "message": "A rule or the state of the stand-in refuses this.",
    ]
  }

  // MARK: Tables

  /// The refusals at an endpoint, in the order of their forms and names.
  static func all(at endpoint: StandInEndpoint) -> [NamedRefusal] {
    switch endpoint {
    case .browserToken, .browserRefresh, .browserRevoke: tokenErrors
    case .responses: errors
    case .apiResponses, .apiModels: details + errors
    default: []
    }
  }

  private static func list(_ form: Form, _ statuses: [String: Int]) -> [NamedRefusal] {
    statuses.sorted { $0.key < $1.key }.map { NamedRefusal(name: $0.key, status: $0.value, form: form) }
  }

  /// The errors of the token endpoint. OpenAI documents no statuses, so these are those of RFC 6749.
  private static let tokenErrors = list(
    .oauth,
    [
      "invalid_grant": 400, "invalid_refresh_token": 400, "token_expired": 400, "refresh_token_expired": 400,
      "refresh_token_invalidated": 400, "refresh_token_reused": 400, "invalid_request": 400, "invalid_client": 401,
      "unauthorized_client": 400, "temporarily_unavailable": 503,
    ])

  private static let details = [
    NamedRefusal(name: "direct_routing_unavailable", status: 503, form: .detail("Direct routing is not available.")),
    NamedRefusal(
      name: "identity_not_accepted", status: 401, form: .detail("The identity or its permission was not accepted.")),
    NamedRefusal(name: "invalid_token", status: 401, form: .detail(["error_code": "invalid_token"])),
    NamedRefusal(name: "policy", status: 403, form: .detail("This is not available in your country or region.")),
  ]

  private static let errors = list(
    .error,
    [
      "subscription_sharing_invalid_user": 401, "subscription_sharing_user_not_eligible": 403,
      "subscription_sharing_usage_limit_exceeded": 429, "subscription_sharing_usage_unavailable": 503,
      "subscription_sharing_user_unavailable": 503, "subscription_sharing_unsupported_capability": 400,
      "subscription_sharing_route_not_supported": 403, "chatpass_v2_scope_not_authorized": 403,
      "chatpass_v2_invalid_authorization_context": 403, "rate_limit_exceeded": 429, "insufficient_quota": 429,
      "invalid_prompt": 400, "model_not_found": 404, "server_error": 500,
    ])
}
