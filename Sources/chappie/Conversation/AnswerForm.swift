import MarkdownParser
import Platform

/// What of an answer is wanted.
enum AnswerForm {
  case whole
  /// The text of its last code block.
  case codeBlock

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
