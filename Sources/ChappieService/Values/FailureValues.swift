// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

extension ChappieClientError {
  /// The details of the signal `Failed` that come from the error.
  var details: VariantDictionary {
    var details = VariantDictionary()
    switch self {
    case .httpError(let status, _):
      details.set("status", UInt32(clamping: status))
    case .signInServer(let error):
      details.set("status", error.status.map { UInt32(clamping: $0) })
    case .unsupportedCapability(let parameter):
      details.set("param", parameter)
    case .usageLimitReached(let limit):
      details.set("plan", limit.plan?.rawValue)
      details.set("resets_at", limit.resetsAt)
      details.set("primary", limit.primary?.dictionary)
      details.set("secondary", limit.secondary?.dictionary)
    case .missingToolHandler(let tool), .toolApprovalDenied(let tool, _):
      details.set("tool", tool)
    case .toolLoopLimitExceeded(let limit):
      details.set("limit", UInt32(clamping: limit))
    default:
      break
    }
    return details
  }
}
