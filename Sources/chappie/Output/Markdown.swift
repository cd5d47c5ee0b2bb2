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
    let lines = lines(text)
    var open: Substring?
    for line in lines {
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
    return (lines + [open.map(String.init)].compactMap(\.self)).joined(separator: "\n")
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
}
