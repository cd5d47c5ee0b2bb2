// SPDX-License-Identifier: Apache-2.0

/// Puts a table into lines. Cells are wrapped where it is too wide; if that does not suffice, each row becomes a list.
struct TableLayout {
  /// How the table stands on the terminal.
  enum Shape: Equatable {
    /// The widths of the columns.
    case columns([Int])
    case lists

    /// The terminal may have got narrower since the earlier rows.
    fileprivate func fits(_ width: Int) -> Bool {
      if case .columns(let widths) = self { TableLayout.columns(widths) <= width } else { true }
    }
  }

  let shape: Shape
  /// Of each column, as a cell.
  private let alignments: [MarkdownNode.Kind]
  private let cells: [[[StyledRun]]]
  private let width: Int
  private let layout: BlockLayout
  private var format: AnswerFormat { layout.format }

  private static let gap = 3

  /// - Parameter shape: the shape of earlier rows of the same table; nil lets the rows decide.
  init(_ table: MarkdownNode, width: Int, shape: Shape? = nil, _ layout: BlockLayout) {
    alignments = (table.children.first?.children ?? []).map(\.kind)
    self.width = width
    self.layout = layout
    let bold = TextStyle(attributes: .bold)
    let cells = table.children.enumerated().map { index, row in
      row.children.map { layout.styled($0.runs, base: index == 0 ? bold : .plain) }
    }
    self.cells = cells
    self.shape = shape.flatMap { $0.fits(width) ? $0 : nil } ?? Self.shape(cells, width: width, layout.format)
  }

  /// - Parameter isContinued: whether the names of the columns are on the terminal already.
  func lines(isContinued: Bool = false) -> [StyledLine] {
    switch shape {
    case .columns(let widths):
      let body = cells.dropFirst().flatMap { line($0, isContinued ? widened(widths, for: $0) : widths) }
      guard !isContinued, let head = cells.first else { return body }
      return line(head, widths) + [edge(widths)] + body
    case .lists:
      return cells.indices.dropFirst().flatMap { row in
        (row > 1 || isContinued ? [StyledLine()] : []) + list(cells[row])
      }
    }
  }

  // MARK: Columns

  private static func shape(_ cells: [[[StyledRun]]], width: Int, _ format: AnswerFormat) -> Shape {
    let count = cells.first?.count ?? 0
    let room = width - gap * (count - 1)
    guard count > 0, room >= 3 * count else { return .lists }
    func widest(_ separators: Set<Character>) -> [Int] {
      (0..<count).map { column in
        cells.map { row in
          let text = row.indices.contains(column) ? row[column].map(\.text).joined() : ""
          return text.split(whereSeparator: separators.contains).map { format.columns(of: $0) }.max() ?? 0
        }.max() ?? 0
      }
    }
    var widths = widest(["\n"]).map { min(max(1, $0), room) }
    // A word of more than a third of the line may be broken.
    let least = widest(["\n", " "]).map { min(max(1, $0), max(8, room / 3)) }
    guard least.reduce(0, +) <= room else { return .lists }
    var excess = widths.reduce(0, +) - room
    while excess > 0 {
      let wide = widths.indices.filter { widths[$0] > least[$0] }
      guard let widest = wide.max(by: { widths[$0] < widths[$1] }) else { break }
      widths[widest] -= 1
      excess -= 1
    }
    return .columns(widths)
  }

  /// The widths for a row that came when the columns were on the terminal: one that fits is not wrapped.
  private func widened(_ widths: [Int], for row: [[StyledRun]]) -> [Int] {
    let wide = zip(widths, row).map { width, cell in max(width, format.columns(of: cell.map(\.text).joined())) }
    return Self.columns(wide) <= width ? wide : widths
  }

  /// The width of a row.
  private static func columns(_ widths: [Int]) -> Int { widths.reduce(0, +) + gap * (widths.count - 1) }

  private func line(_ row: [[StyledRun]], _ widths: [Int]) -> [StyledLine] {
    let bar = StyledRun(text: format.hasFrames ? " │ " : " | ", style: .dim)
    let cells = widths.indices.map { column in
      LineWrapper.lines(row.indices.contains(column) ? row[column] : [], width: widths[column], format)
    }
    return (0..<(cells.map(\.count).max() ?? 0)).map { number in
      var line = StyledLine()
      for column in widths.indices {
        if column > 0 { line.append(bar, format) }
        let part = number < cells[column].count ? cells[column][number] : StyledLine()
        let space = max(0, widths[column] - part.columns)
        let before =
          switch alignments[column] {
          case .cell(.center): space / 2
          case .cell(.right): space
          default: 0
          }
        line.append(StyledRun(text: String(repeating: " ", count: before)), columns: before)
        line.append(part)
        guard column + 1 < widths.count else { break }
        line.append(StyledRun(text: String(repeating: " ", count: space - before)), columns: space - before)
      }
      return line
    }
  }

  private func edge(_ widths: [Int]) -> StyledLine {
    let (line, cross) = format.hasFrames ? ("─", "─┼─") : ("-", "-+-")
    let text = widths.map { String(repeating: line, count: $0) }.joined(separator: cross)
    return StyledLine([StyledRun(text: text, style: .dim)], format)
  }

  // MARK: Lists

  /// A row as a list: the name of each column, and its cell.
  private func list(_ row: [[StyledRun]]) -> [StyledLine] {
    let names = cells.first ?? []
    return row.indices.flatMap { column in
      let name = names.indices.contains(column) ? names[column] : []
      let runs = name.isEmpty ? row[column] : name + [StyledRun(text: ": ")] + row[column]
      return LineWrapper.lines(runs, width: width - 2, format).enumerated().map { index, line in
        index == 0 ? line : layout.prefixed(line, by: StyledRun(text: "  "))
      }
    }
  }
}
