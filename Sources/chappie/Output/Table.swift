// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// A table for a terminal. Each column is as wide as its widest cell, and control characters in a cell do nothing.
struct Table {
  private let header: [String]
  private var rows: [[String]]

  /// - Parameter header: the names of the columns; without names there is no header row.
  init(_ header: String..., rows: [[String]] = []) {
    self.header = header
    self.rows = rows.map { $0.map(\.terminalSafeCell) }
  }

  mutating func append(_ cells: String...) {
    rows.append(cells.map(\.terminalSafeCell))
  }

  /// The rows, within the width of the terminal if there is one.
  var text: String { text(within: Terminal.columns) }

  /// The width that the table needs without breaking a cell, in terminal columns.
  var columns: Int { Self.columns(widths) }

  private var all: [[String]] { header.isEmpty ? rows : [header] + rows }

  private var widths: [Int] { widths { $0.columns } }

  private func widths(_ width: (String) -> Int) -> [Int] {
    let count = all.map(\.count).max() ?? 0
    return (0..<count).map { column in all.map { $0.count > column ? width($0[column]) : 0 }.max() ?? 0 }
  }

  private static let space = "  "

  private static func columns(_ widths: [Int]) -> Int {
    widths.reduce(0, +) + space.count * max(0, widths.count - 1)
  }

  // MARK: Within a width

  /// A table that is too wide gets its widest cells wrapped. If that does not suffice, each row becomes a list.
  private func text(within limit: Int?) -> String {
    var widths = widths
    guard let limit, columns > limit else { return lines(widths) }
    // No column may be narrower than its longest word.
    let least = self.widths { cell in cell.split(separator: " ").map(\.columns).max() ?? 0 }
    guard Self.columns(least) <= limit else { return lists(within: limit) }
    while Self.columns(widths) > limit {
      let wide = widths.indices.filter { widths[$0] > least[$0] }
      guard let widest = wide.max(by: { widths[$0] < widths[$1] }) else { break }
      widths[widest] -= 1
    }
    let divided = all.map { zip($0, widths).map { $0.lines(within: max(1, $1)).count }.max() ?? 1 }
    // Cells of more than two lines side by side are harder to read than a list.
    return header.isEmpty || divided.allSatisfy { $0 <= 2 } ? lines(widths) : lists(within: limit)
  }

  private func lines(_ widths: [Int]) -> String {
    all.map { row in
      let cells = zip(row, widths).map { $0.lines(within: max(1, $1)) }
      return (0..<(cells.map(\.count).max() ?? 0)).map { line in
        let parts = zip(cells, widths).map { Self.padded($0.count > line ? $0[line] : "", to: $1) }
        return parts.joined(separator: Self.space).trimmingEnd { $0 == " " } + "\n"
      }.joined()
    }.joined()
  }

  /// Each row as a list: its first named cell, and below it the other cells with the names of their columns.
  private func lists(within limit: Int) -> String {
    let first = header.firstIndex { !$0.isEmpty } ?? 0
    let name = header.dropFirst(first + 1).map(\.columns).max() ?? 0
    let margin = String(repeating: " ", count: (0..<first).reduce(2) { $0 + widths[$1] + 1 })
    return rows.map { row in
      let head = zip(row.prefix(first), widths).map { Self.padded($0, to: $1) } + row.dropFirst(first).prefix(1)
      let others = row.indices.dropFirst(first + 1).filter { !row[$0].isEmpty }.flatMap { column in
        let names = header.isEmpty ? "" : Self.padded(header[column], to: name) + Self.space
        let room = max(1, limit - margin.count - names.count)
        return row[column].lines(within: room).enumerated().map { index, part in
          margin + (index == 0 ? names : String(repeating: " ", count: names.count)) + part
        }
      }
      let lines = ([head.joined(separator: " ")] + others).map { $0.trimmingEnd { $0 == " " } }
      return lines.filter { !$0.isEmpty }.map { $0 + "\n" }.joined()
    }.joined()
  }

  private static func padded(_ cell: String, to width: Int) -> String {
    cell + String(repeating: " ", count: max(0, width - cell.columns))
  }
}

/// Bold and dim text. It is plain if standard output is no terminal, or a dumb one, or if `NO_COLOR` is set.
struct TerminalStyle {
  private let isOn =
    StandardStream.output.isTerminal && CurrentProcess.environment("NO_COLOR") == nil
    && CurrentProcess.environment("TERM") != "dumb"

  func bold(_ text: String) -> String { marked(text, 1) }

  func dim(_ text: String) -> String { marked(text, 2) }

  private func marked(_ text: String, _ code: Int) -> String {
    isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
