// SPDX-License-Identifier: Apache-2.0

/// A Markdown document, as md4c understands it: CommonMark with tables, strikethrough, tasks and bare addresses. HTML
/// is text, except for `<br>`.
public struct MarkdownDocument: Sendable {
  /// The most blocks within one another. Each takes a part of the stack wherever the tree is walked or freed.
  static let depthLimit = 20

  /// The blocks on the top level.
  public let blocks: [MarkdownBlock]
  /// For each block the offset of its first text, in bytes; nil for a block without text.
  public let starts: [Int?]
  /// For each item of a list that is the last block the offset of its first text, in bytes; nil for an item without
  /// text.
  public let itemStarts: [Int?]

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
      blocks = [.paragraph([MarkdownRun(text: text, marks: [])])]
      starts = [0]
      itemStarts = []
      return
    }
    blocks = builder.root.blocks
    starts = builder.root.starts
    itemStarts = builder.lastItemStarts
  }
}

/// A block of a Markdown document.
public indirect enum MarkdownBlock: Equatable, Sendable {
  case paragraph([MarkdownRun])
  /// The level is 1 to 6.
  case heading(level: Int, [MarkdownRun])
  case code(MarkdownCode)
  case quote([MarkdownBlock])
  case list(MarkdownList)
  case table(MarkdownTable)
  case rule
}

/// A piece of text with the same marks.
public struct MarkdownRun: Equatable, Sendable {
  /// The text. A line feed is a line break that the author wants.
  public var text: String
  public var marks: MarkdownMarks
  /// The address that the text links to.
  public var link: String?
}

/// What marks a piece of text.
public struct MarkdownMarks: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  public static let emphasis = MarkdownMarks(rawValue: 1)
  public static let strong = MarkdownMarks(rawValue: 2)
  public static let code = MarkdownMarks(rawValue: 4)
  public static let deleted = MarkdownMarks(rawValue: 8)
}

/// A block of code.
public struct MarkdownCode: Equatable, Sendable {
  /// The first word behind the fence; empty if there is none.
  public var language: String
  /// Whether it stands between fences, and not only indented.
  public var isFenced: Bool
  /// The lines, each with its line feed.
  public var text: String
}

/// A list.
public struct MarkdownList: Equatable, Sendable {
  /// The number of the first item; nil for bullets.
  public var start: Int?
  public var items: [MarkdownItem]
}

/// An item of a list.
public struct MarkdownItem: Equatable, Sendable {
  /// Whether the task is done; nil for an item that is no task.
  public var isDone: Bool?
  public var blocks: [MarkdownBlock]
}

/// A table.
public struct MarkdownTable: Equatable, Sendable {
  /// The side at which the text of a column stands.
  public enum Alignment: Sendable {
    case left
    case center
    case right
  }

  /// One for each column.
  public var alignments: [Alignment]
  /// The rows, the names of the columns first. Each has as many cells as there are columns.
  public var rows: [[[MarkdownRun]]]
}
