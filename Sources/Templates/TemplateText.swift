// SPDX-License-Identifier: Apache-2.0

/// A text with variables: `$name` or `${name}`. `$$` is a dollar sign, and so is every other `$`.
struct TemplateText {
  private enum Part {
    case text(Substring)
    case variable(String)
  }

  private let parts: [Part]

  init(_ text: String) {
    var parts: [Part] = []
    var rest = text[...]
    while let place = rest.firstIndex(of: "$") {
      parts.append(.text(rest[..<place]))
      rest = rest[place...].dropFirst()
      let isBraced = rest.first == "{"
      let word = (isBraced ? rest.dropFirst() : rest).prefix(while: Template.isInVariable)
      let after = rest[word.endIndex...]
      if Template.isVariable(word), !isBraced || after.first == "}" {
        parts.append(.variable(String(word)))
        rest = isBraced ? after.dropFirst() : after
      } else {
        parts.append(.text("$"))
        if rest.first == "$" { rest = rest.dropFirst() }
      }
    }
    self.parts = parts + [.text(rest)]
  }

  /// The names of the variables, in order.
  var variables: [String] {
    parts.compactMap { if case .variable(let name) = $0 { name } else { nil } }
  }

  /// The text with `values` in place of the variables. A value is never searched for variables.
  ///
  /// - Returns: nil if it would have more than `limit` bytes.
  func filled(_ values: [String: String], limit: Int) -> String? {
    pieces(around: nil, values, limit: limit)?[0]
  }

  /// The parts between the places of one variable, with `values` in place of the others.
  ///
  /// - Returns: nil if they would have more than `limit` bytes together.
  func pieces(around variable: String?, _ values: [String: String], limit: Int) -> [String]? {
    var pieces = [""]
    var count = 0
    for part in parts {
      let added: Substring
      switch part {
      case .text(let text): added = text
      case .variable(let name) where name == variable:
        pieces.append("")
        continue
      case .variable(let name): added = values[name, default: ""][...]
      }
      count += added.utf8.count
      guard count <= limit else { return nil }
      pieces[pieces.count - 1] += added
    }
    return pieces
  }
}
