// SPDX-License-Identifier: Apache-2.0

/// Puts blocks into lines.
struct BlockLayout {
  let format: AnswerFormat

  var inline: InlineText { InlineText(format: format) }

  /// The lines of blocks one below the other.
  ///
  /// - Parameters:
  ///   - width: in columns.
  ///   - depth: the number of lists around the blocks.
  ///   - isOpen: whether the last block may go on: code then has no lower edge yet.
  func lines(_ blocks: [MarkdownBlock], width: Int, depth: Int = 0, isOpen: Bool = false) -> [StyledLine] {
    blocks.indices.flatMap { index in
      let lines = lines(blocks[index], width: width, depth: depth, isOpen: isOpen && index + 1 == blocks.count)
      let isApart = index > 0 && !(depth > 0 && blocks[index].isList)
      return (isApart ? [StyledLine()] : []) + lines
    }
  }

  /// The lines of a block.
  func lines(_ block: MarkdownBlock, width: Int, depth: Int = 0, isOpen: Bool = false) -> [StyledLine] {
    switch block {
    case .paragraph(let runs): return wrapped(inline.styled(runs), width)
    case .heading(let level, let runs):
      var style = TextStyle(attributes: .bold, color: format.hasColors ? (level > 2 ? .blue : .magenta) : nil)
      if level == 1 { style.attributes.insert(.underlined) }
      return wrapped(inline.styled(runs, base: style), width)
    case .code(let code):
      let lines = codeLines(code.text)
      guard code.isFenced else { return lines.map { prefixed($0, by: "    ") } }
      return [upperEdge(code.language, width)] + lines + (isOpen ? [] : [lowerEdge(width)])
    case .quote(let blocks):
      let bar = StyledRun(text: format.hasFrames ? "│ " : "| ", style: .dim)
      let lines = lines(blocks, width: width - 2, depth: depth, isOpen: isOpen)
      return (lines.isEmpty ? [StyledLine()] : lines).map { prefixed($0, by: bar) }
    case .list(let list):
      return items(list.items, from: list.start, width: width, depth: depth, isOpen: isOpen)
    case .table(let table):
      return TableLayout(table, width: width, self).lines()
    case .rule: return [StyledLine([StyledRun(text: horizontal(width), style: .dim)], format)]
    }
  }

  private func wrapped(_ runs: [StyledRun], _ width: Int) -> [StyledLine] {
    var wrapper = LineWrapper(width: width, format)
    for run in runs { wrapper.add(run) }
    return wrapper.finished()
  }

  func prefixed(_ line: StyledLine, by prefix: StyledRun) -> StyledLine {
    var result = StyledLine([prefix], format)
    result.append(line)
    return result
  }

  private func prefixed(_ line: StyledLine, by prefix: String) -> StyledLine {
    prefixed(line, by: StyledRun(text: prefix))
  }

  // MARK: Lists

  /// - Parameters:
  ///   - number: the number of the first item; nil for bullets.
  ///   - isApart: whether an empty line separates the first item from what comes before.
  func items(
    _ items: [MarkdownItem], from number: Int?, width: Int, depth: Int = 0, isOpen: Bool, isApart: Bool = false
  ) -> [StyledLine] {
    items.indices.flatMap { index in
      let item = items[index]
      let marker = StyledRun(text: marker(item, number.map { $0 + index }, depth) + " ", style: markerStyle)
      let indent = format.columns(of: marker.text)
      let lines = lines(
        item.blocks, width: width - indent, depth: depth + 1, isOpen: isOpen && index + 1 == items.count)
      let space = String(repeating: " ", count: indent)
      let isApart = index > 0 ? items[index - 1].isSpacious : isApart
      let first = prefixed(lines.first ?? StyledLine(), by: marker)
      return (isApart ? [StyledLine()] : []) + [first]
        + lines.dropFirst().map { $0.runs.isEmpty ? $0 : prefixed($0, by: space) }
    }
  }

  private var markerStyle: TextStyle { TextStyle(color: format.hasColors ? .yellow : nil) }

  private func marker(_ item: MarkdownItem, _ number: Int?, _ depth: Int) -> String {
    let mark =
      number.map { "\($0)." } ?? (format.hasFrames ? ["•", "◦", "▪"][min(depth, 2)] : ["*", "-", "+"][min(depth, 2)])
    guard let isDone = item.isDone else { return mark }
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

extension MarkdownBlock {
  fileprivate var isList: Bool {
    if case .list = self { true } else { false }
  }
}

extension MarkdownItem {
  /// Whether it holds more than a paragraph and lists, so that an empty line follows it.
  var isSpacious: Bool { blocks.dropFirst().contains { !$0.isList } }
}
