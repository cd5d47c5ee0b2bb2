// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@testable import ChappieSDK

struct WireErrorTests {
  @Test(
    arguments: [
      ("Please try again in 2.5s. Visit the page to learn more.", 2.5),
      ("Limit 10.\nPlease try again in 20 seconds.", 20),
      ("Please try again in 500ms.", 0.5), ("try again in 7 ms", 0.007), ("try to try again in 1s", 1),
      ("Slow down (try again in 2s).", 2),
      (nil, nil), ("", nil), ("Please try again.", nil), ("try again in", nil), ("try again in a while", nil),
      ("try again in 2 minutes", nil), ("try again in s", nil), ("try again in 1.2.3s", nil),
      ("Please try again soon in 3s", nil),
    ] as [(String?, Double?)])
  func readsTheDelayFromTheMessage(_ message: String?, _ seconds: Double?) {
    #expect(WireError(code: nil, message: message).delay == seconds)
  }
}

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
