// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// What the person at the terminal is asked during a turn.
enum TurnQuestion: Sendable {
  /// Whether a tool may run with these arguments.
  case approval(call: String, tool: String, arguments: String)
  /// What a tool server wants to know.
  case form(call: String, message: String, fields: [Field])
  /// A tool server wants a page opened.
  case page(call: String, message: String, address: String)

  /// A field of a form.
  struct Field: Sendable {
    let name: String
    let title: String
    let kind: String
    let choices: [String]
    let isRequired: Bool
  }

  /// Nil for a question that this version does not know.
  init?(_ event: ChappieJSONValue) {
    guard let call = event["call"]?.stringValue else { return nil }
    let message = event["message"]?.stringValue?.terminalSafeLine ?? ""
    let server = event["server"]?.stringValue?.terminalSafeLine ?? ""
    let question = tr("The tool server “\(server)” asks: \(message)")
    if let arguments = event["arguments"]?.stringValue {
      let tool = event["name"]?.stringValue?.terminalSafeLine ?? ""
      // With a message, an earlier answer was not accepted.
      let lines = [message, tool].filter { !$0.isEmpty }.joined(separator: "\n")
      self = .approval(call: call, tool: lines, arguments: LegibleJSON(arguments).text)
    } else if let address = event["url"]?.stringValue {
      self = .page(call: call, message: question, address: address.terminalSafeLine)
    } else if let fields = event["fields"]?.arrayValue {
      self = .form(call: call, message: question, fields: fields.compactMap(Field.init))
    } else {
      return nil
    }
  }

  /// Whether there is a person to ask.
  static var canBeAsked: Bool { StandardInput.isTerminal && StandardStream.error.isTerminal }

  /// What the turn waits for, where nobody can be asked here.
  var waiting: String {
    switch self {
    case .approval(_, let tool, _): tr("\(tool) waits for your approval: see chappie approvals.")
    case .form(_, let message, _), .page(_, let message, _): message
    }
  }

  /// The call that asks.
  var call: String {
    switch self {
    case .approval(let call, _, _), .form(let call, _, _), .page(let call, _, _): call
    }
  }

  /// Asks at the terminal.
  ///
  /// - Returns: the line that answers; nil if the task was cancelled.
  @GLibActor
  fileprivate func ask() async -> ChappieJSONValue? {
    switch self {
    case .approval(let call, let tool, let arguments):
      guard let isApproved = await Self.confirms("\(tool)\n\(arguments)\n" + tr("Run this once?")) else { return nil }
      return ["approval": ["call": .string(call), "approved": .bool(isApproved)]]
    case .page(let call, let message, let address):
      let question = "\(message)\n\(address)\n" + tr("Have you opened this page?")
      guard let isOpened = await Self.confirms(question) else { return nil }
      return Self.input(call, isOpened ? [:] : nil)
    case .form(let call, let message, let fields):
      StandardStream.error.line(message)
      var content: [String: ChappieJSONValue] = [:]
      for field in fields {
        guard let text = await Self.answer("\(field.title)\(field.hint): ") else { return nil }
        if text.isEmpty, !field.isRequired { continue }
        guard let value = field.value(text) else {
          StandardStream.error.line(tr("This is no answer to the question, so it is declined."))
          return Self.input(call, nil)
        }
        content[field.name] = value
      }
      return Self.input(call, content)
    }
  }

  /// - Parameter content: nil if the user declines.
  private static func input(_ call: String, _ content: [String: ChappieJSONValue]?) -> ChappieJSONValue {
    [
      "input": [
        "call": .string(call), "action": content == nil ? "decline" : "accept", "content": .object(content ?? [:]),
      ]
    ]
  }

  /// Nil if the task was cancelled.
  @GLibActor
  private static func confirms(_ question: String) async -> Bool? {
    await answer("\(question) \(tr("[y/N]")) ").map(Confirmation.isYes)
  }

  /// Nil if the task was cancelled. The end of input is an empty answer.
  @GLibActor
  private static func answer(_ prompt: String) async -> String? {
    StandardStream.error.write(prompt)
    while !Task.isCancelled {
      guard await offActor({ StandardInput.isReady(within: .milliseconds(200)) }) else { continue }
      return await offActor { StandardInput.line(limit: 4096) }?.trimmed ?? ""
    }
    // Another answer has come, from a notification perhaps.
    StandardStream.error.write("\n")
    return nil
  }
}

/// Asks the questions of a turn, one after the other, until each is answered here or elsewhere.
@GLibActor
final class TurnAsking {
  private let turn: OpenedTurn
  private let view: AnswerView?
  private var tasks: [String: Task<Void, Never>] = [:]
  private let mutex = AsyncMutex()

  init(_ turn: OpenedTurn, _ view: AnswerView?) {
    self.turn = turn
    self.view = view
  }

  func ask(_ question: TurnQuestion) {
    tasks[question.call]?.cancel()
    tasks[question.call] = Task.onGLib { [turn, view, mutex] in
      let ask: @GLibActor () async -> Void = {
        if let line = await question.ask() { turn.answer(line) }
      }
      _ = try? await mutex.withLock { if let view { await view.pausing(while: ask) } else { await ask() } }
    }
  }

  /// Stops asking for a call that has ended.
  func end(_ call: String) async {
    guard let task = tasks.removeValue(forKey: call) else { return }
    task.cancel()
    await task.value
  }

  func endAll() {
    for task in tasks.values { task.cancel() }
  }
}

extension TurnQuestion.Field {
  fileprivate init?(_ json: ChappieJSONValue) {
    guard let name = json["name"]?.stringValue, let kind = json["kind"]?.stringValue else { return nil }
    self.name = name
    self.kind = kind
    title = json["title"]?.stringValue?.terminalSafeLine ?? name.terminalSafeLine
    choices = (json["choices"]?.arrayValue ?? []).compactMap(\.stringValue)
    isRequired = json["required"]?.boolValue ?? false
  }

  fileprivate var hint: String {
    switch kind {
    case "flag": " " + tr("[y/N]")
    case "choice": " (\(choices.joined(separator: ", ").terminalSafeLine))"
    default: ""
    }
  }

  private static func number(_ text: String, isWhole: Bool) -> ChappieJSONValue? {
    switch try? ChappieJSONValue(json: text) {
    case .integer(let number)?: .integer(number)
    case .number(let number)? where !isWhole: .number(number)
    default: nil
    }
  }

  fileprivate func value(_ text: String) -> ChappieJSONValue? {
    switch kind {
    case "text": .string(text)
    case "integer", "number": Self.number(text, isWhole: kind == "integer")
    case "flag": .bool(Confirmation.isYes(text))
    case "choice": choices.contains(text) ? .string(text) : nil
    default: nil
    }
  }
}
