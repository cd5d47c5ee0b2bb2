// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// Embeds foreign text in a Markdown document, so that no text can break out of its place.
enum Markdown {
  /// A line of plain text.
  static func escaped(_ line: String) -> String {
    String(line.flatMap { "\\`*_[]<>#|~&!".contains($0) ? ["\\", $0] : [$0] })
  }

  /// A name within a line.
  static func code(_ name: String) -> String {
    let name = name.terminalSafeLine
    let marks = String(repeating: "`", count: longestRow(in: name) + 1)
    return marks.count == 1 ? "`\(name)`" : "\(marks) \(name) \(marks)"
  }

  /// A fenced block.
  static func block(_ text: String, _ language: String = "") -> String {
    let fence = fence(around: text)
    return "\(fence)\(language)\n\(text.terminalSafe.trimmingEnd(while: \.isNewline))\n\(fence)"
  }

  /// Foreign Markdown as a quotation.
  static func quote(_ text: String) -> String {
    lines(text).map { $0.isEmpty ? ">" : "> \($0)" }.joined(separator: "\n")
  }

  /// Foreign Markdown with its last fenced block closed: an answer may end inside one.
  static func closed(_ text: String) -> String {
    (lines(text) + [openFence(in: text)].compactMap(\.self)).joined(separator: "\n")
  }

  /// The fence of a block that does not end; nil if there is none.
  static func openFence(in text: String) -> String? {
    var open: Substring?
    for line in lines(text) {
      let rest = line.drop { $0 == " " }
      let fence = rest.prefix { $0 == rest.first }
      guard fence.count >= 3, fence.first == "`" || fence.first == "~" else { continue }
      if let start = open {
        let isBare = rest.allSatisfy { $0 == fence.first || $0.isWhitespace }
        if fence.first == start.first, fence.count >= start.count, isBare { open = nil }
      } else {
        open = fence
      }
    }
    return open.map(String.init)
  }

  private static func lines(_ text: String) -> [String] {
    text.terminalSafe.trimmingEnd(while: \.isWhitespace).split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
  }

  /// A fence that does not occur in the text.
  static func fence(around text: String) -> String {
    String(repeating: "`", count: max(3, longestRow(in: text) + 1))
  }

  /// The length of the longest row of backquotes.
  private static func longestRow(in text: String) -> Int {
    text.utf8.split { $0 != UInt8(ascii: "`") }.map(\.count).max() ?? 0
  }

  /// A page that an answer names.
  typealias Page = (title: String, address: String)

  /// The list of the pages that an answer names, each once.
  static func sources(_ pages: [Page]) -> String {
    var known: Set<String> = []
    let lines = pages.filter { known.insert($0.address).inserted }.enumerated().map { number, page in
      "\(number + 1). \(escaped(page.title.terminalSafeLine)) <\(page.address.terminalSafeLine)>"
    }
    return "\(tr("Sources:"))\n\n\(lines.joined(separator: "\n"))"
  }
}
