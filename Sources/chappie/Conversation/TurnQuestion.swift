// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// What the person at the terminal is asked during a turn.
struct TurnQuestion: Sendable {
  private enum Kind {
    /// Whether a tool may run with some arguments.
    case approval(question: String)
    /// What a tool server wants to know.
    case form([Field])
    /// A tool server wants a page opened.
    case page(question: String)
  }

  /// The call that asks.
  let call: String
  /// What the turn waits for, where nobody can be asked here.
  let waiting: String
  private let kind: Kind

  /// Nil for a question that this version does not know.
  init?(_ event: ChappieJSONValue) {
    guard let call = event["call"]?.stringValue else { return nil }
    self.call = call
    let message = event["message"]?.stringValue?.terminalSafeLine ?? ""
    if let arguments = event["arguments"]?.stringValue {
      let tool = event["name"]?.stringValue?.terminalSafeLine ?? ""
      // With a message, an earlier answer was not accepted.
      let lines = [message, tool].filter { !$0.isEmpty }.joined(separator: "\n")
      waiting = tr("\(lines) waits for your approval: see chappie approvals.")
      kind = .approval(question: "\(lines)\n\(LegibleJSON(arguments).text)\n" + tr("Run this once?"))
      return
    }
    let server = event["server"]?.stringValue?.terminalSafeLine ?? ""
    waiting = tr("The tool server “\(server)” asks: \(message)")
    if let address = event["url"]?.stringValue?.terminalSafeLine {
      kind = .page(question: "\(waiting)\n\(address)\n" + tr("Have you opened this page?"))
    } else if let fields = event["fields"]?.arrayValue {
      kind = .form(fields.compactMap(Field.init))
    } else {
      return nil
    }
  }

  /// Whether there is a person to ask.
  static var canBeAsked: Bool { StandardInput.isTerminal && StandardStream.error.isTerminal }

  /// Asks at the terminal.
  ///
  /// - Returns: the line that answers; nil if the task was cancelled.
  @GLibActor
  fileprivate func ask() async -> ChappieJSONValue? {
    // What was typed before was no answer to a question that nobody had seen.
    StandardInput.discardTyped()
    switch kind {
    case .approval(let question):
      guard let isApproved = await Self.confirms(question) else { return nil }
      return ["approval": ["call": .string(call), "approved": .bool(isApproved)]]
    case .page(let question):
      guard let isOpened = await Self.confirms(question) else { return nil }
      return input(isOpened ? [:] : nil)
    case .form(let fields):
      StandardStream.error.line(waiting)
      var content: [String: ChappieJSONValue] = [:]
      for field in fields {
        guard let text = await Self.answer("\(field.title)\(field.hint): ") else { return nil }
        if text.isEmpty, !field.isRequired { continue }
        guard let value = field.value(text) else {
          StandardStream.error.line(tr("This is no answer to the question, so it is declined."))
          return input(nil)
        }
        content[field.name] = value
      }
      return input(content)
    }
  }

  /// - Parameter content: nil if the user declines.
  private func input(_ content: [String: ChappieJSONValue]?) -> ChappieJSONValue {
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
      guard StandardInput.isInForeground else {
        try? await sleep(for: .milliseconds(200))
        continue
      }
      guard await offActor({ StandardInput.isReady(within: .milliseconds(200)) }), !Task.isCancelled else { continue }
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
        if let line = await question.ask() { turn.send(line) }
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

/// A field of a form.
private struct Field: Sendable {
  let name: String
  let title: String
  let isRequired: Bool
  private let kind: String
  private let choices: [String]

  init?(_ json: ChappieJSONValue) {
    guard let name = json["name"]?.stringValue, let kind = json["kind"]?.stringValue else { return nil }
    self.name = name
    self.kind = kind
    title = json["title"]?.stringValue?.terminalSafeLine ?? name.terminalSafeLine
    choices = (json["choices"]?.arrayValue ?? []).compactMap(\.stringValue)
    isRequired = json["required"]?.boolValue ?? false
  }

  var hint: String {
    switch kind {
    case "flag": " " + tr("[y/N]")
    case "choice": " (\(choices.joined(separator: ", ").terminalSafeLine))"
    default: ""
    }
  }

  /// Nil if the text is no answer.
  func value(_ text: String) -> ChappieJSONValue? {
    switch (kind, try? ChappieJSONValue(json: text)) {
    case ("text", _): .string(text)
    case ("integer", .integer(let number)?), ("number", .integer(let number)?): .integer(number)
    case ("number", .number(let number)?): .number(number)
    case ("flag", _): .bool(Confirmation.isYes(text))
    case ("choice", _): choices.contains(text) ? .string(text) : nil
    default: nil
    }
  }
}
