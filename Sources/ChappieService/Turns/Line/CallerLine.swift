// SPDX-License-Identifier: Apache-2.0
import ChappieMCP
import ChappieSDK
import GLibBridge

/// A line that a caller writes on the socket of its turn.
enum CallerLine: Sendable {
  case question(Prompt, Attachments)
  case toolResult(call: String, ChappieToolResult)
  case approval(call: String, ChappieApprovalDecision)
  case input(call: String, MCPAnswer)
  case cancel

  /// The most bytes of a line.
  static let limit = 16 << 20

  /// Decodes a line. Unknown keys are ignored.
  ///
  /// - Throws: `BusError` with `InvalidArgument` or `LimitExceeded`.
  init(_ line: [UInt8]) throws {
    let json = try Self.json(line)
    guard case .object(let fields) = json else { throw Self.refusal("it is no JSON object") }
    let kinds = Self.kinds.filter { fields[$0] != nil }
    guard let kind = kinds.first, kinds.count == 1 else {
      throw Self.refusal("it must have exactly one of \(Self.kinds.joined(separator: ", "))")
    }
    let content = LineFields(value: fields[kind] ?? .null, name: kind)
    switch kind {
    case "text":
      self = .question(.text(try content.text()), try Self.attachments(json))
    case "messages":
      self = .question(.transcript(try Self.transcript(content)), try Self.attachments(json))
    case "tool_result":
      let (call, output) = (try content["call"].text(), try content["output"].text())
      self = .toolResult(
        call: call, try ChappieToolResult(status: try content["status"].optional?.text(), output: output))
    case "approval":
      let reason = try content["reason"].optional?.text() ?? ""
      self = .approval(
        call: try content["call"].text(),
        ChappieApprovalDecision(approved: try content["approved"].flag(), reason: reason))
    case "input":
      self = .input(
        call: try content["call"].text(),
        try MCPAnswer(action: content["action"].text(), content["content"].value.objectValue ?? [:]))
    default:
      guard try content.flag() else { throw Self.refusal("'cancel' must be true") }
      self = .cancel
    }
  }

  private static func json(_ line: [UInt8]) throws -> ChappieJSONValue {
    do {
      return try ChappieJSONValue(parsing: line.span, valueLimit: valueLimit)
    } catch .malformed {
      throw refusal("it is no JSON object")
    } catch {
      throw BusError(.limitExceeded, "A line has too many values, or is nested too deep: send less.")
    }
  }

  private static let kinds = ["text", "messages", "tool_result", "approval", "input", "cancel"]
  /// The most values in one line: a transcript with as many messages as a conversation may have.
  private static let valueLimit = 4 * TurnLimits.conversationItems

  static func refusal(_ reason: String) -> BusError {
    BusError(.invalidArgument, "A line on the socket was not understood: \(reason).")
  }

  private static func attachments(_ json: ChappieJSONValue) throws -> Attachments {
    let line = LineFields(value: json, name: "line")
    return try Attachments(images: line["images"].optional?.texts() ?? [], files: line["files"].optional?.texts() ?? [])
  }

  private static func transcript(_ content: LineFields) throws -> [ChappieInputMessage] {
    let messages = try content.list()
    try Limits.messages.check(messages.count)
    return try messages.map {
      try TranscriptEntry(role: try $0["role"].text(), text: try $0["text"].text()).message()
    }
  }
}

/// A value of a line, with its name for errors.
private struct LineFields {
  let value: ChappieJSONValue
  let name: String

  /// A member; null when it is missing.
  subscript(key: String) -> LineFields { LineFields(value: value[key] ?? .null, name: key) }

  /// Nil for null, or a missing member.
  var optional: LineFields? { value.isNull ? nil : self }

  func text() throws -> String {
    guard let text = value.stringValue else { throw CallerLine.refusal("'\(name)' must be text") }
    return text
  }

  func flag() throws -> Bool {
    guard let flag = value.boolValue else { throw CallerLine.refusal("'\(name)' must be true or false") }
    return flag
  }

  func list() throws -> [LineFields] {
    guard let elements = value.arrayValue else { throw CallerLine.refusal("'\(name)' must be a list") }
    return elements.map { LineFields(value: $0, name: name) }
  }

  func texts() throws -> [String] { try list().map { try $0.text() } }
}
