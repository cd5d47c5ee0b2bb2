// SPDX-License-Identifier: Apache-2.0
import AnswerRendering
import ChappieSDK
import Platform

/// What of an answer is wanted, and in which form.
enum AnswerForm {
  case whole
  /// The text of its last code block.
  case codeBlock
  /// The whole answer, which is JSON of this schema.
  case json(JSONSchema)

  /// The wanted part.
  ///
  /// - Throws: ``CommandFailure`` with ``ExitStatus/unfit`` if the answer has none.
  func part(of answer: String) throws(CommandFailure) -> String {
    switch self {
    case .whole: return answer
    case .codeBlock:
      guard let code = Self.lastCode(MarkdownDocument(Array(answer.utf8)).blocks) else {
        throw CommandFailure(.unfit, tr("The answer has no code block."))
      }
      return code
    case .json(let schema):
      guard let value = try? ChappieJSONValue(parsing: answer.utf8.span) else {
        throw CommandFailure(.unfit, tr("The answer is no JSON."))
      }
      if let violation = schema.violation(in: value) {
        throw CommandFailure(.unfit, tr("The answer does not fit the schema: \(violation)."))
      }
      return answer
    }
  }

  private static func lastCode(_ blocks: [MarkdownBlock]) -> String? {
    for block in blocks.reversed() {
      let code: String? =
        switch block {
        case .code(let code): code.isFenced ? code.text : nil
        case .quote(let blocks): lastCode(blocks)
        case .list(let list): lastCode(list.items.flatMap(\.blocks))
        case .paragraph, .heading, .table, .rule: nil
        }
      if let code { return code }
    }
    return nil
  }
}

/// Where an answer goes, and in which form.
struct AnswerOutput {
  var form = AnswerForm.whole
  /// Prints one JSON object at the end, and nothing before.
  var json = false
  /// Prints the answer as it is, on a terminal too.
  var raw = false
  /// A file that keeps the answer, beside standard output.
  var file: OutputFile?

  /// Whether the whole answer is wanted. A part of it is known only at its end.
  var isWhole: Bool {
    if case .whole = form { true } else { false }
  }
}
