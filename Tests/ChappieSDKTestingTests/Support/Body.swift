import GLibBridge

/// The parts of requests for an answer.
enum Body {
  /// A request as small as the backend takes it, with changes; `null` leaves a member out.
  static func request(_ input: [JSON], _ changes: [String: JSON] = [:]) -> JSON {
    let usual: [String: JSON] = [
      "model": "gpt-6-sol", "instructions": "Be brief.", "stream": true, "store": false, "input": .array(input),
    ]
    return .object(usual.merging(changes) { $1 }.filter { $0.value != .null })
  }

  /// A request as the frame that a WebSocket carries.
  static func frame(_ request: JSON, _ more: [String: JSON] = [:]) -> [UInt8] {
    guard case .object(let members) = request else { return [] }
    return JSON.object(members.merging(["type": "response.create"]) { $1 }.merging(more) { $1 }).encoded
  }

  static func user(_ text: String) -> JSON {
    message("user", ["type": "input_text", "text": .string(text)])
  }

  static func developer(_ text: String) -> JSON {
    message("developer", ["type": "input_text", "text": .string(text)])
  }

  static func assistant(_ text: String) -> JSON {
    message("assistant", ["type": "output_text", "text": .string(text)])
  }

  static func message(_ role: String, _ parts: JSON...) -> JSON {
    ["type": "message", "role": .string(role), "content": .array(parts)]
  }

  static func output(of call: String, _ text: String) -> JSON {
    ["type": "function_call_output", "call_id": .string(call), "output": .string(text)]
  }

  static func call(_ id: String, _ name: String, _ arguments: String = "{}") -> JSON {
    ["type": "function_call", "call_id": .string(id), "name": .string(name), "arguments": .string(arguments)]
  }

  static func tool(_ name: String) -> JSON {
    [
      "type": "function", "name": .string(name), "description": "…",
      "parameters": ["type": "object", "properties": [:]],
    ]
  }
}
