// SPDX-License-Identifier: Apache-2.0
import GLibBridge

@testable import ChappieSDK

extension WireError {
  init(code: String?, message: String?, plan: String? = nil, resetsAt: Int64? = nil) {
    var members: [String: ChappieJSONValue] = [:]
    members["code"] = code.map { .string($0) }
    members["message"] = message.map { .string($0) }
    members["plan_type"] = plan.map { .string($0) }
    members["resets_at"] = resetsAt.map { .integer($0) }
    self.init(.object(members))
  }
}
