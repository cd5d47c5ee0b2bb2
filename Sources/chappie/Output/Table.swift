import GLibBridge

/// Rows for a terminal, with each column as wide as its widest cell. No cell leaves its row.
struct Table {
  private var rows: [[String]] = []

  mutating func append(_ cells: String...) {
    rows.append(cells.map(\.harmlessCell))
  }

  var text: String {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in rows.map { $0.count > column ? $0[column].columns : 0 }.max() ?? 0 }
    return rows.map { row in Self.line(row, widths) + "\n" }.joined()
  }

  private static func line(_ row: [String], _ widths: [Int]) -> String {
    let cells = zip(row, widths).map { cell, width in cell + String(repeating: " ", count: width - cell.columns) }
    return cells.joined(separator: "  ").trimmingEnd { $0 == " " }
  }
}
