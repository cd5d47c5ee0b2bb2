// SPDX-License-Identifier: Apache-2.0

/// A Markdown document, as md4c understands it: CommonMark with tables, strikethrough, tasks and bare addresses. HTML
/// is text, except for `<br>`.
public struct MarkdownDocument: Sendable {
  /// The most blocks within one another. Each takes a part of the stack wherever the tree is walked or freed.
  static let depthLimit = 20

  /// The blocks on the top level.
  public let blocks: [MarkdownNode]

  /// Parses a text. If it is none that md4c can parse within limits, it is one paragraph with the text as it is.
  ///
  /// - Parameter source: UTF-8.
  public init(_ source: [UInt8]) {
    // md4c 0.4.8 reads beyond the end of a text whose last line does not end.
    let source = source.last == UInt8(ascii: "\n") ? source : source + [UInt8(ascii: "\n")]
    // The most blocks, spans and pieces of text. Some lines of noise would otherwise become a table of millions of cells.
    let builder = MarkdownBuilder(limit: max(100_000, 4 * source.count))
    let isParsed = source.withUnsafeBytes { source in
      builder.source = source
      defer { builder.source = UnsafeRawBufferPointer(start: nil, count: 0) }
      return builder.parse()
    }
    guard isParsed else {
      let text = String(decoding: source, as: UTF8.self)
      blocks = [MarkdownNode(kind: .paragraph, runs: [MarkdownRun(text: text, marks: [])], offset: 0)]
      return
    }
    blocks = builder.root.children
  }
}

/// A part of a Markdown document: a block, an item of a list, or a row or a cell of a table.
public struct MarkdownNode: Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    case document
    case paragraph
    /// The level is 1 to 6.
    case heading(level: Int)
    /// The language is the first word behind the fence; empty if there is none. Code without fences is indented.
    case code(language: String, isFenced: Bool)
    case quote
    /// `start` is the number of the first item; nil for bullets.
    case list(start: Int?)
    /// `isDone` tells whether the task is done; nil for an item that is no task.
    case item(isDone: Bool?)
    /// Its rows, the names of the columns first, have as many cells as there are columns.
    case table
    case row
    case cell(Alignment)
    case rule
  }

  /// The side at which the text of a column stands.
  public enum Alignment: Sendable {
    case left
    case center
    case right
  }

  public let kind: Kind
  var runs: [MarkdownRun] = []
  public var children: [MarkdownNode] = []
  /// The offset of the first text in it, in bytes; nil for a node without text.
  var offset: Int?

  /// The text, without that of the children. Each line of code has its line feed.
  public var text: String { runs.map(\.text).joined() }

  /// Two parses may begin at different places, so the offset does not count.
  public static func == (left: MarkdownNode, right: MarkdownNode) -> Bool {
    left.kind == right.kind && left.runs == right.runs && left.children == right.children
  }
}

/// A piece of text with the same marks.
struct MarkdownRun: Equatable, Sendable {
  /// The text. A line feed is a line break that the author wants.
  var text: String
  let marks: MarkdownMarks
  /// The address that the text links to.
  var link: String?
}

/// What marks a piece of text.
struct MarkdownMarks: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  static let emphasis = MarkdownMarks(rawValue: 1)
  static let strong = MarkdownMarks(rawValue: 2)
  static let code = MarkdownMarks(rawValue: 4)
  static let deleted = MarkdownMarks(rawValue: 8)
}
