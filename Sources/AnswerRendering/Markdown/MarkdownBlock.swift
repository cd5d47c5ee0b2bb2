// SPDX-License-Identifier: Apache-2.0

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
