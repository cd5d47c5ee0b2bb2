// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import HTTPTestServer

extension ChappieJSONValue {
  /// The value that a body holds; `null` if it is not JSON.
  init(body: [UInt8]) {
    self = (try? ChappieJSONValue(parsing: body.span)) ?? .null
  }
}

extension HTTPServerRequest {
  /// The body; `null` if it is not JSON.
  var json: ChappieJSONValue { ChappieJSONValue(body: body) }
}

extension HTTPServerResponse {
  static func json(
    _ value: ChappieJSONValue, status: Int = 200, headers: [(name: String, value: String)] = []
  ) -> HTTPServerResponse {
    HTTPServerResponse(status: status, type: "application/json", value.json, headers: headers)
  }

  /// A refusal in the form of the issuer and of most of the backend.
  static func error(_ status: Int, _ code: String, _ message: String) -> HTTPServerResponse {
    .json(
      [
        "error": [
          "message": .string(message), "type": "invalid_request_error", "param": .null, "code": .string(code),
        ]
      ], status: status)
  }

  /// A refusal in the form of OAuth.
  static func oauthError(_ code: String, _ description: String, status: Int = 400) -> HTTPServerResponse {
    .json(["error": .string(code), "error_description": .string(description)], status: status)
  }

  /// A refusal in the form of the backend's own checks.
  static func detail(_ text: String, status: Int = 400) -> HTTPServerResponse {
    .json(["detail": .string(text)], status: status)
  }

  /// Replaces members of the JSON object in the body; `null` removes one.
  mutating func replaceMembers(_ changes: [String: ChappieJSONValue]) {
    guard !changes.isEmpty, let members = ChappieJSONValue(body: body).objectValue else { return }
    body = ChappieJSONValue.object(members.merging(changes) { $1 }.filter { $0.value != .null }).encoded
  }
}
