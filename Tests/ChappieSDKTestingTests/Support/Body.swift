// SPDX-License-Identifier: Apache-2.0

/// Builds requests for an answer.
enum Body {
  /// The smallest valid request with `changes`; `null` removes a member.
  static func request(_ input: [ChappieJSONValue], _ changes: [String: ChappieJSONValue] = [:]) -> ChappieJSONValue {
    let usual: [String: ChappieJSONValue] = [
      "model": "gpt-6-sol", "instructions": "Be brief.", "stream": true, "store": false, "input": .array(input),
    ]
    return .object(usual.merging(changes) { $1 }.filter { $0.value != .null })
  }

  /// A request as a frame for a WebSocket.
  static func frame(_ request: ChappieJSONValue, _ more: [String: ChappieJSONValue] = [:]) -> [UInt8] {
    guard case .object(let members) = request else { return [] }
    return ChappieJSONValue.object(members.merging(["type": "response.create"]) { $1 }.merging(more) { $1 }).encoded
  }

  static func user(_ text: String) -> ChappieJSONValue {
    message("user", ["type": "input_text", "text": .string(text)])
  }

  static func developer(_ text: String) -> ChappieJSONValue {
    message("developer", ["type": "input_text", "text": .string(text)])
  }

  static func assistant(_ text: String) -> ChappieJSONValue {
    message("assistant", ["type": "output_text", "text": .string(text)])
  }

  static func message(_ role: String, _ parts: ChappieJSONValue...) -> ChappieJSONValue {
    ["type": "message", "role": .string(role), "content": .array(parts)]
  }

  static func output(of call: String, _ text: String) -> ChappieJSONValue {
    ["type": "function_call_output", "call_id": .string(call), "output": .string(text)]
  }

  static func call(_ id: String, _ name: String, _ arguments: String = "{}") -> ChappieJSONValue {
    ["type": "function_call", "call_id": .string(id), "name": .string(name), "arguments": .string(arguments)]
  }

  static func tool(_ name: String) -> ChappieJSONValue {
    [
      "type": "function", "name": .string(name), "description": "…",
      "parameters": ["type": "object", "properties": [:]],
    ]
  }
}
