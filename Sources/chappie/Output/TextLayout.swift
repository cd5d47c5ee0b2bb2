// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

extension String {
  /// The lines of this text, with long lines wrapped between words. The continuation of an indented line is indented
  /// too.
  ///
  /// - Parameter columns: the width of a terminal; nil wraps nothing.
  func lines(within columns: Int?) -> [String] {
    let lines = replacing("\t", with: "    ").split(separator: "\n", omittingEmptySubsequences: false)
    guard let columns else { return lines.map(String.init) }
    return lines.flatMap { Self.parts(of: $0, within: columns) }
  }

  /// The beginning of this text that fits into `columns`, with an ellipsis if something is left out.
  func shortened(to columns: Int) -> String {
    guard self.columns > columns else { return self }
    return prefix(upTo: end(within: columns - 1)) + "…"
  }

  private static func parts(of line: Substring, within columns: Int) -> [String] {
    let indent = String(line.prefix(columns / 2).prefix { $0 == " " })
    var parts: [String] = []
    var rest = line.dropFirst(indent.count)
    repeat {
      let end = rest.end(within: columns - indent.count)
      let space = end == rest.endIndex || rest[end] == " " ? end : rest[..<end].lastIndex(of: " ") ?? end
      parts.append(indent + rest[..<space])
      rest = rest[space...].drop { $0 == " " }
    } while !rest.isEmpty
    return parts
  }
}

extension StringProtocol {
  /// The end of the beginning that fits into `columns`. It has at least one character, unless the text is empty.
  fileprivate func end(within columns: Int) -> Index {
    var room = columns
    var index = startIndex
    while index < endIndex {
      room -= self[index].columns
      guard room >= 0 || index == startIndex else { break }
      formIndex(after: &index)
    }
    return index
  }
}

extension String {
  /// This text without the characters at its end that satisfy `isDropped`.
  func trimmingEnd(while isDropped: (Character) -> Bool) -> String {
    String(reversed().drop(while: isDropped).reversed())
  }

  /// This text without the white space around it.
  var trimmed: String {
    String(drop(while: \.isWhitespace)).trimmingEnd(while: \.isWhitespace)
  }
}

extension StandardStream {
  /// Writes a line, as ``write(_:)``.
  func line(_ text: String) {
    write(text + "\n")
  }
}
