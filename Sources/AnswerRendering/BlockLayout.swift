// SPDX-License-Identifier: Apache-2.0

/// Puts blocks into lines.
struct BlockLayout {
  let format: AnswerFormat

  /// The lines of blocks one below the other.
  ///
  /// - Parameters:
  ///   - width: in columns.
  ///   - depth: the number of lists around the blocks.
  ///   - isOpen: whether the last block may go on: code then has no lower edge yet.
  func lines(_ blocks: [MarkdownNode], width: Int, depth: Int = 0, isOpen: Bool = false) -> [StyledLine] {
    blocks.indices.flatMap { index in
      let lines = lines(blocks[index], width: width, depth: depth, isOpen: isOpen && index + 1 == blocks.count)
      let isApart = index > 0 && !(depth > 0 && blocks[index].isList)
      return (isApart ? [StyledLine()] : []) + lines
    }
  }

  /// The lines of a block.
  func lines(_ block: MarkdownNode, width: Int, depth: Int = 0, isOpen: Bool = false) -> [StyledLine] {
    switch block.kind {
    case .paragraph, .document, .item, .row, .cell:
      return LineWrapper.lines(styled(block.runs), width: width, format)
    case .heading(let level):
      var style = TextStyle(attributes: .bold, color: format.hasColors ? (level > 2 ? .blue : .magenta) : nil)
      if level == 1 { style.attributes.insert(.underlined) }
      return LineWrapper.lines(styled(block.runs, base: style), width: width, format)
    case .code(let language, let isFenced):
      let lines = codeLines(block.text)
      guard isFenced else { return lines.map { prefixed($0, by: StyledRun(text: "    ")) } }
      return [upperEdge(language, width)] + lines + (isOpen ? [] : [lowerEdge(width)])
    case .quote:
      let bar = StyledRun(text: format.hasFrames ? "│ " : "| ", style: .dim)
      let lines = lines(block.children, width: width - 2, depth: depth, isOpen: isOpen)
      return (lines.isEmpty ? [StyledLine()] : lines).map { prefixed($0, by: bar) }
    case .list(let start):
      return items(block.children, from: start, width: width, depth: depth, isOpen: isOpen)
    case .table:
      return TableLayout(block, width: width, self).lines()
    case .rule: return [StyledLine([StyledRun(text: horizontal(width), style: .dim)], format)]
    }
  }

  func prefixed(_ line: StyledLine, by prefix: StyledRun) -> StyledLine {
    var result = StyledLine([prefix], format)
    result.append(line)
    return result
  }

  // MARK: Lists

  /// - Parameters:
  ///   - number: the number of the first item; nil for bullets.
  ///   - isApart: whether an empty line separates the first item from what comes before.
  func items(
    _ items: [MarkdownNode], from number: Int?, width: Int, depth: Int = 0, isOpen: Bool, isApart: Bool = false
  ) -> [StyledLine] {
    items.indices.flatMap { index in
      let item = items[index]
      let marker = StyledRun(text: marker(item.kind, number.map { $0 + index }, depth) + " ", style: markerStyle)
      let indent = format.columns(of: marker.text)
      let lines = lines(
        item.children, width: width - indent, depth: depth + 1, isOpen: isOpen && index + 1 == items.count)
      let space = StyledRun(text: String(repeating: " ", count: indent))
      let isApart = index > 0 ? items[index - 1].isSpacious : isApart
      let first = prefixed(lines.first ?? StyledLine(), by: marker)
      return (isApart ? [StyledLine()] : []) + [first]
        + lines.dropFirst().map { $0.runs.isEmpty ? $0 : prefixed($0, by: space) }
    }
  }

  private var markerStyle: TextStyle { TextStyle(color: format.hasColors ? .yellow : nil) }

  private func marker(_ item: MarkdownNode.Kind, _ number: Int?, _ depth: Int) -> String {
    let mark =
      number.map { "\($0)." } ?? (format.hasFrames ? ["•", "◦", "▪"][min(depth, 2)] : ["*", "-", "+"][min(depth, 2)])
    guard case .item(let isDone?) = item else { return mark }
    let box = format.hasFrames ? (isDone ? "☑" : "☐") : isDone ? "[x]" : "[ ]"
    return number == nil ? box : "\(mark) \(box)"
  }

  // MARK: Code

  func codeLines(_ text: String) -> [StyledLine] {
    let lines = text.replacing("\t", with: "    ").split(separator: "\n", omittingEmptySubsequences: false)
    return (lines.last == "" ? lines.dropLast() : lines[...]).map { StyledLine([StyledRun(text: String($0))], format) }
  }

  func upperEdge(_ language: String, _ width: Int) -> StyledLine {
    let corner = format.hasFrames ? "╭─" : "+-"
    let name = language.isEmpty ? "" : " \(shortened(language, to: width - 6)) "
    let rest = horizontal(width - 2 - format.columns(of: name))
    return StyledLine([StyledRun(text: corner + name + rest, style: .dim)], format)
  }

  func lowerEdge(_ width: Int) -> StyledLine {
    StyledLine([StyledRun(text: (format.hasFrames ? "╰" : "+") + horizontal(width - 1), style: .dim)], format)
  }

  private func shortened(_ text: String, to columns: Int) -> String {
    var room = columns
    return String(
      text.prefix {
        room -= format.columns(of: $0)
        return room >= 0
      })
  }

  private func horizontal(_ width: Int) -> String {
    String(repeating: format.hasFrames ? "─" : "-", count: max(0, width))
  }
}

extension MarkdownNode {
  fileprivate var isList: Bool {
    if case .list = kind { true } else { false }
  }

  /// Whether an item holds more than a paragraph and lists, so that an empty line follows it.
  var isSpacious: Bool { children.dropFirst().contains { !$0.isList } }
}

/// Marked text as the terminal shows it.
extension BlockLayout {
  /// Addresses that a terminal may open. Others are shown.
  private static let schemes = ["http://", "https://", "mailto:"]
  /// The longest address behind a text, in bytes; a terminal may ignore a longer one.
  private static let linkLimit = 2000

  /// - Parameter base: the style of text without marks.
  func styled(_ runs: [MarkdownRun], base: TextStyle = .plain) -> [StyledRun] {
    runs.indices.flatMap { index in
      let run = runs[index]
      let styled = styled(run, base)
      let isLinkOver = index + 1 == runs.count || runs[index + 1].link != run.link
      guard let address = run.link, isLinkOver else { return styled }
      return styled + shown(address, behind: text(of: address, in: runs, to: index))
    }
  }

  private func styled(_ run: MarkdownRun, _ base: TextStyle) -> [StyledRun] {
    var style = base
    if run.marks.contains(.emphasis) { style.attributes.insert(.italic) }
    if run.marks.contains(.strong) { style.attributes.insert(.bold) }
    if run.marks.contains(.deleted) { style.attributes.insert(.struck) }
    if run.link != nil { style.attributes.insert(.underlined) }
    var text = run.text
    if run.marks.contains(.code) {
      if format.hasColors { style.color = .cyan } else { text = "`\(text)`" }
    }
    return [StyledRun(text: text, style: style, link: run.link.flatMap(target))]
  }

  /// The text that links to an address, up to the run at `index`.
  private func text(of address: String, in runs: [MarkdownRun], to index: Int) -> String {
    String(runs[...index].reversed().prefix { $0.link == address }.reversed().flatMap(\.text))
  }

  /// The address in parentheses, unless the text or the terminal shows it.
  private func shown(_ address: String, behind text: String) -> [StyledRun] {
    let isShown = [text, text + "/", "mailto:" + text].contains(address)
    guard !address.isEmpty, !isShown, format.links != .hidden || target(address) == nil else { return [] }
    return [StyledRun(text: " (\(address))", style: .dim)]
  }

  /// The address as the terminal gets it; nil for one that it must not open.
  private func target(_ address: String) -> String? {
    guard format.links != .written, Self.schemes.contains(where: address.lowercased().hasPrefix) else { return nil }
    let encoded = address.utf8.map { byte in
      (0x21...0x7E).contains(byte)
        ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
    return encoded.utf8.count <= Self.linkLimit ? encoded : nil
  }
}
