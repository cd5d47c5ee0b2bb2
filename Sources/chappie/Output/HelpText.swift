// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// A text of the help.
enum Help {
  /// The narrowest column for the text of an entry, in terminal columns.
  private static let least = 20
  /// The indentation of a text that has no room beside its name.
  private static let indentation = 6

  /// Writes a help text to standard output. At a terminal no word is broken.
  static func show(_ text: String) {
    guard let columns = Terminal.columns else { return StandardStream.output.write(text) }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast(text.hasSuffix("\n") ? 1 : 0)
    for line in lines.flatMap({ wrapped(String($0), columns) }) { StandardStream.output.line(line) }
  }

  /// A line within the width. The text behind the name of an entry stays in its column if there is room.
  private static func wrapped(_ line: String, _ columns: Int) -> [String] {
    let entry = line.drop { $0 == " " }
    guard line.columns > columns, line.hasPrefix("  "), let gap = entry.firstRange(of: "  ") else {
      return line.lines(within: columns)
    }
    let name = line[..<gap.lowerBound]
    let text = String(line[gap.upperBound...].drop { $0 == " " })
    let column = line.columns - text.columns
    guard columns - column >= least else {
      return [String(name)] + indented(text, by: indentation, columns)
    }
    let lines = indented(text, by: column, columns)
    return [String(name + lines[0].dropFirst(name.columns))] + lines.dropFirst()
  }

  private static func indented(_ text: String, by indent: Int, _ columns: Int) -> [String] {
    text.lines(within: max(1, columns - indent)).map { String(repeating: " ", count: indent) + $0 }
  }
}
