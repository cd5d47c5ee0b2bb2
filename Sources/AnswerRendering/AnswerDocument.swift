// SPDX-License-Identifier: Apache-2.0
import Platform

/// An answer in Markdown that grows.
///
/// The parser gets the text from the last block that may still change: what comes before is settled, and its lines
/// never change. Of a list that is the last item, of code what comes after the last line, and of a table that is higher
/// than the screen what comes after the last row. The parser decides whether a place is one to go on from: it must find
/// the same blocks when it begins there.
struct AnswerDocument {
  /// The most bytes that are parsed together. Longer blocks are parted.
  private static let limit = 32 << 10

  /// What the text that is not settled goes on with.
  private enum Continuation {
    case start
    case block
    /// A block that was too long and has been parted.
    case rest
    /// An item of a list. `number` is nil for bullets.
    case item(number: Int?, isApart: Bool)
    /// Code, after the line that opens it.
    case code(opening: [UInt8])
    /// Rows of a table, after the two lines that open it.
    case table(opening: [UInt8], TableLayout.Shape)

    var opening: [UInt8] {
      switch self {
      case .code(let opening), .table(let opening, _): opening
      default: []
      }
    }
  }

  /// A settled beginning of the text.
  private struct Cut {
    let lines: [StyledLine]
    /// Its length in bytes, one or more.
    let length: Int
    let continuation: Continuation
  }

  private var tail: [UInt8] = []
  private var continuation = Continuation.start
  /// A carriage return at the end, which is nothing if a line feed follows.
  private var endsInReturn = false

  /// Adds a text. Its control characters become visible symbols.
  mutating func append(_ text: String) {
    var text = endsInReturn ? "\r" + text : text
    endsInReturn = text.unicodeScalars.last == "\r"
    if endsInReturn { text.unicodeScalars.removeLast() }
    tail += text.terminalSafe.utf8
  }

  /// Lays the text out. The settled lines are returned once.
  ///
  /// - Parameter isComplete: whether the answer has ended.
  mutating func lines(_ format: AnswerFormat, isComplete: Bool) -> (settled: [StyledLine], open: [StyledLine]) {
    let layout = BlockLayout(format: format)
    var settled: [StyledLine] = []
    var start = 0
    defer { tail.removeFirst(start) }
    while true {
      let end = min(start + Self.limit, tail.count)
      let window = Array(tail[start..<end])
      let isWhole = end == tail.count
      let document = MarkdownDocument(continuation.opening + window)
      guard let cut = cut(document, window, layout) ?? (isWhole ? nil : parting(window, layout)) else {
        return (settled, lines(document.blocks, layout, isOpen: !isComplete))
      }
      settled += cut.lines
      start += cut.length
      continuation = cut.continuation
    }
  }

  // MARK: Layout

  /// The lines of blocks that begin as the continuation says.
  private func lines(_ blocks: [MarkdownNode], _ layout: BlockLayout, isOpen: Bool) -> [StyledLine] {
    guard let first = blocks.first else { return [] }
    let width = layout.format.width
    let rest = blocks.dropFirst()
    let isFirstOpen = isOpen && rest.isEmpty
    let gap = [StyledLine()]
    let start: [StyledLine]
    switch (continuation, first.kind) {
    case (.start, _), (.rest, _): start = layout.lines(first, width: width, isOpen: isFirstOpen)
    case (.item(let number, let isApart), .list(let listStart)) where (number == nil) == (listStart == nil):
      start = layout.items(first.children, from: number, width: width, isOpen: isFirstOpen, isApart: isApart)
    case (.code, .code):
      start = layout.codeLines(first.text) + (isFirstOpen ? [] : [layout.lowerEdge(width)])
    case (.table(_, let shape), .table):
      start = TableLayout(first, width: width, shape: shape, layout).lines(isContinued: true)
    default: start = gap + layout.lines(first, width: width, isOpen: isFirstOpen)
    }
    return start + (rest.isEmpty ? [] : gap + layout.lines(Array(rest), width: width, isOpen: isOpen))
  }

  // MARK: Settling

  private func cut(_ document: MarkdownDocument, _ window: [UInt8], _ layout: BlockLayout) -> Cut? {
    guard document.blocks.count == 1 else { return blockCut(document, window, layout) }
    let block = document.blocks[0]
    switch block.kind {
    case .list(let start): return itemCut(block.children, from: start, window, layout)
    case .code(_, isFenced: true): return codeCut(window, layout)
    case .table: return tableCut(block, window, layout)
    default: return nil
    }
  }

  /// Settles all blocks before the last one, or before one of the last: a line has no text to begin at.
  private func blockCut(_ document: MarkdownDocument, _ window: [UInt8], _ layout: BlockLayout) -> Cut? {
    let blocks = document.blocks
    for index in blocks.indices.dropFirst().reversed().prefix(3) {
      guard let start = blocks[index].offset else { continue }
      var length = Self.lineStart(start - continuation.opening.count, in: window)
      if case .code(_, isFenced: true) = blocks[index].kind { length = Self.lineBefore(length, in: window) }
      guard length > 0, Self.isDecided(window[length...]),
        MarkdownDocument(Array(window[length...])).blocks == Array(blocks[index...])
      else { continue }
      return Cut(
        lines: lines(Array(blocks[..<index]), layout, isOpen: false), length: length, continuation: .block)
    }
    return nil
  }

  private func itemCut(
    _ items: [MarkdownNode], from first: Int?, _ window: [UInt8], _ layout: BlockLayout
  ) -> Cut? {
    for index in items.indices.dropFirst().reversed().prefix(2) {
      guard let start = items[index].offset else { continue }
      let length = Self.lineStart(start, in: window)
      guard length > 0, let rest = MarkdownDocument(Array(window[length...])).blocks.first,
        case .list(let restStart) = rest.kind, rest.children == Array(items[index...]),
        (restStart == nil) == (first == nil)
      else { continue }
      let before = MarkdownNode(kind: .list(start: first), children: Array(items[..<index]))
      var number = first
      if case .item(let earlier?, _) = continuation { number = earlier }
      return Cut(
        lines: lines([before], layout, isOpen: false), length: length,
        continuation: .item(number: number.map { $0 + index }, isApart: items[index - 1].isSpacious))
    }
    return nil
  }

  private func codeCut(_ window: [UInt8], _ layout: BlockLayout) -> Cut? {
    // A further line belongs to the code, unless a fence closes it.
    guard let (settled, opening, probe) = probe(window, openingLines: 1), case .code = probe.kind,
      probe.text.hasSuffix("x\n"), case .code = MarkdownDocument(opening).blocks.first?.kind
    else { return nil }
    var code = probe
    code.runs[code.runs.count - 1].text.removeLast(2)
    return Cut(
      lines: lines([code], layout, isOpen: true), length: settled.count, continuation: .code(opening: opening))
  }

  private func tableCut(_ block: MarkdownNode, _ window: [UInt8], _ layout: BlockLayout) -> Cut? {
    guard lines([block], layout, isOpen: true).count >= layout.format.height,
      let (settled, opening, probe) = probe(window, openingLines: 2), case .table = probe.kind,
      probe.children.count > 2, let head = MarkdownDocument(opening).blocks.first, case .table = head.kind,
      head.children[0] == probe.children[0]
    else { return nil }
    var table = probe
    table.children.removeLast()
    var earlier: TableLayout.Shape?
    if case .table(_, let shape) = continuation { earlier = shape }
    let shape = TableLayout(table, width: layout.format.width, shape: earlier, layout).shape
    return Cut(
      lines: lines([table], layout, isOpen: true), length: settled.count,
      continuation: .table(opening: opening, shape))
  }

  /// The whole lines, those that open the block, and the one block that they are with a further line, `x`.
  private func probe(_ window: [UInt8], openingLines count: Int) -> (ArraySlice<UInt8>, [UInt8], MarkdownNode)? {
    guard let end = window.lastIndex(of: Self.lineFeed) else { return nil }
    let settled = window[...end]
    let known: [UInt8]? =
      switch continuation {
      case .code(let lines) where count == 1: lines
      case .table(let lines, _) where count == 2: lines
      default: nil
      }
    let blocks = MarkdownDocument((known ?? []) + settled + "x\n".utf8).blocks
    guard blocks.count == 1 else { return nil }
    if let known { return (settled, known, blocks[0]) }
    let lines = settled.split(separator: Self.lineFeed, omittingEmptySubsequences: false)
    let first = lines.drop { $0.allSatisfy { $0 == UInt8(ascii: " ") } }.prefix(count)
    return (settled, first.flatMap { $0 + [Self.lineFeed] }, blocks[0])
  }

  /// Parts a block that is too long: behind a line if there is one, or else behind a word.
  private func parting(_ window: [UInt8], _ layout: BlockLayout) -> Cut {
    let space = window.lastIndex(of: Self.lineFeed) ?? window.lastIndex(of: UInt8(ascii: " "))
    // A character is never parted.
    let character = window.lastIndex { $0 & 0xC0 != 0x80 } ?? 0
    let length = space.map { $0 + 1 } ?? max(1, character)
    let blocks = MarkdownDocument(continuation.opening + window[..<length]).blocks
    var next = Continuation.rest
    if case .code = continuation { next = continuation }
    if case .table = continuation { next = continuation }
    return Cut(lines: lines(blocks, layout, isOpen: true), length: length, continuation: next)
  }

  /// Whether the text begins with enough to tell a paragraph from an item of the list before it, such as `12. x`.
  private static func isDecided(_ text: ArraySlice<UInt8>) -> Bool {
    text.count >= 16 || text.contains(lineFeed)
  }

  private static let lineFeed = UInt8(ascii: "\n")

  private static func lineStart(_ offset: Int, in text: [UInt8]) -> Int {
    guard offset > 0 else { return 0 }
    return (text[..<offset].lastIndex(of: lineFeed) ?? -1) + 1
  }

  /// The start of the last line before an offset that is not empty.
  private static func lineBefore(_ offset: Int, in text: [UInt8]) -> Int {
    let end = text[..<offset].lastIndex { $0 != lineFeed && $0 != UInt8(ascii: " ") } ?? 0
    return lineStart(end, in: text)
  }
}
