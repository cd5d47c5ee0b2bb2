// SPDX-License-Identifier: Apache-2.0

/// A request for an answer in the form that the backend expects for its model.
struct ResponsesRequest: Sendable {
  /// The items before the conversation.
  let head: [ChappieJSONValue]
  let input: [ConversationItem]
  /// All fields except the input.
  let frame: [String: ChappieJSONValue]
  let form: RequestModel.Form
  let threadID: String

  private static let liteHeader = "x-openai-internal-codex-responses-lite"

  init(_ request: TurnRequest, for model: RequestModel) {
    var frame: [String: ChappieJSONValue] = [
      "model": .string(model.slug), "stream": true, "store": false, "tool_choice": "auto",
      "include": ["reasoning.encrypted_content"], "prompt_cache_key": .string(request.threadID),
    ]
    var reasoning: [String: ChappieJSONValue] = [:]
    reasoning["effort"] = model.effort(request.effort).map { .string($0) }
    switch model.form {
    case .plain:
      head = []
      frame["instructions"] = .string(request.instructions)
      frame["parallel_tool_calls"] = true
      let tools = request.tools + [request.webSearch].compactMap(\.self)
      if !tools.isEmpty { frame["tools"] = .array(tools) }
    case .lite:
      head = Self.liteHead(request)
      frame["parallel_tool_calls"] = false
      reasoning["context"] = "all_turns"
    }
    frame["text"] = request.outputSchema.map { ["format": Self.format($0)] }
    if !reasoning.isEmpty { frame["reasoning"] = .object(reasoning) }
    self.frame = frame
    form = model.form
    input = request.input
    threadID = request.threadID
  }

  private static func format(_ schema: ChappieJSONValue) -> ChappieJSONValue {
    [
      "type": "json_schema", "name": "codex_output_schema", "strict": .bool(ChappieSchema(schema).isStrict),
      "schema": schema,
    ]
  }

  /// The tools, if there are any, then the instructions.
  private static func liteHead(_ request: TurnRequest) -> [ChappieJSONValue] {
    let instructions = ConversationItem.message(ChappieInputMessage(role: .developer, text: request.instructions)).json
    guard !request.tools.isEmpty else { return [instructions] }
    // One id for each conversation: equal heads must compare equal.
    let id = "at_" + request.threadID.filter(\.isHexDigit)
    return [
      ["type": "additional_tools", "id": .string(id), "role": "developer", "tools": .array(request.tools)],
      instructions,
    ]
  }

  /// Whether encoding takes so long that other turns would wait.
  var isLarge: Bool { input.contains { $0.footprint > 64 << 10 } || input.count > 256 }

  /// The body of an HTTP request.
  func encoded() -> [UInt8] {
    Self.encode(.object(frame.merging(["input": .array(head + input.map(\.json))]) { $1 }))
  }

  /// The text of a request. The model fills in the properties of a schema in the order in which they are sent.
  static func encode(_ request: ChappieJSONValue) -> [UInt8] { request.encoded(byRequired: true) }

  // MARK: Marks of the lite form

  /// The header field of an HTTP request.
  var formHeader: (name: String, value: String)? {
    form == .lite ? (Self.liteHeader, "true") : nil
  }

  /// The member of `client_metadata` of a message over a WebSocket.
  var formMetadata: [String: ChappieJSONValue] {
    form == .lite ? ["ws_request_header_" + Self.liteHeader.replacing("-", with: "_"): "true"] : [:]
  }
}
