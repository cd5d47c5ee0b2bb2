/// A word of OpenAI's public API about the use of the user's plan, by its code.
enum PlanRefusal {
  /// The grant does not allow it.
  case notGranted
  /// The user, the workspace or a policy does not allow it.
  case notEligible
  /// The plan, or the user's limit for this application, is used up.
  case limitReached
  /// The server cannot tell now.
  case unavailable
  /// A part of the request is not offered on this way.
  case unsupported

  init?(_ code: String?) {
    // Some servers still give the codes of an earlier version.
    switch code?.replacing("subscription_sharing_v2_", with: "subscription_sharing_") {
    case "chatpass_v2_scope_not_authorized", "chatpass_v2_invalid_authorization_context": self = .notGranted
    case "subscription_sharing_user_not_eligible", "subscription_sharing_client_not_enabled": self = .notEligible
    case "subscription_sharing_usage_limit_exceeded": self = .limitReached
    case "subscription_sharing_usage_unavailable", "subscription_sharing_user_unavailable": self = .unavailable
    case "subscription_sharing_unsupported_capability": self = .unsupported
    default: return nil
    }
  }

  /// The failure of a request.
  ///
  /// - Parameters:
  ///   - message: the server's, without anything that could be a token.
  ///   - parameter: the part of the request that the server names.
  ///   - retryAfter: in seconds.
  func failure(status: Int, message: String, parameter: String?, retryAfter: Double?) -> ExchangeFailure {
    switch self {
    case .notGranted: .final(.planUseNotGranted)
    case .notEligible: .final(.planUseNotEligible(message))
    case .limitReached: .final(.usageLimitReached(ChappieUsageLimit(plan: nil, resetsAt: nil)))
    case .unavailable: .planUnavailable(.httpError(status, message), retryAfter: retryAfter)
    case .unsupported: .final(.unsupportedCapability(parameter ?? message))
    }
  }
}
