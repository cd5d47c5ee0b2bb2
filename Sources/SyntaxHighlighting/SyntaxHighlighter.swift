/// Finds the words of a programming language in lines of code.
public final class SyntaxHighlighter {
  /// The part that a piece of code plays.
  public enum Kind: CInt, Sendable {
    case plain
    case keyword
    case text
    case comment
    case number
    case name
    case addition
    case deletion
  }

  /// A piece of a line.
  public struct Piece: Equatable {
    public let text: Substring
    public let kind: Kind

    public init(text: Substring, kind: Kind) {
      self.text = text
      self.kind = kind
    }
  }

  /// What a line leaves open for the next one, such as a comment.
  public struct State: Equatable {
    fileprivate var value: CInt = 0

    public init() {}
  }

  /// Lines that are longer, in bytes, stay plain: some patterns take a time that grows with the square of the length.
  private static let lineLimit = 2000
  private static let isUTF8AsSwiftHasIt: CInt = 1 << 0 | 1 << 1
  private static let usesSearchPath: CInt = 1 << 2

  private let functions: SyntaxLibrary.Functions
  private let patterns: OpaquePointer
  private let match: OpaquePointer

  /// - Parameter file: the file that defines the language.
  init?(_ file: String, _ functions: SyntaxLibrary.Functions) {
    let patterns = functions.load(
      file, { _, style in style.map { SyntaxHighlighter.kind(String(cString: $0)).rawValue } ?? 0 }, nil,
      Self.isUTF8AsSwiftHasIt | Self.usesSearchPath, nil)
    guard let patterns else { return nil }
    guard let match = functions.newMatch(patterns) else {
      functions.free(patterns)
      return nil
    }
    self.functions = functions
    self.patterns = patterns
    self.match = match
  }

  deinit {
    functions.freeMatch(match)
    functions.free(patterns)
  }

  private static func kind(_ style: String) -> Kind {
    switch style {
    // Words that some definitions call reserved are in the language by now.
    case "keyword", "error": .keyword
    case "string", "string-escape": .text
    case "comment", "comment-keyword": .comment
    case "number": .number
    case "variable", "misc": .name
    case "addition": .addition
    case "deletion": .deletion
    default: .plain
    }
  }

  /// The pieces of a line, without its line feed.
  ///
  /// - Parameter state: what the line before has left open, which becomes what this line leaves open.
  public func pieces(_ line: Substring, _ state: inout State) -> [Piece] {
    guard line.utf8.count <= Self.lineLimit else { return [Piece(text: line, kind: .plain)] }
    functions.reset(match, state.value)
    var pieces: [Piece] = []
    var text = String(line)
    let bounds = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { bytes in
        var bounds: [(end: Int, kind: CInt)] = []
        var isOpen: CChar = 1
        while isOpen != 0, bounds.count < 2 * Self.lineLimit {
          isOpen = functions.match(match, bytes.baseAddress, bytes.count)
          bounds.append((functions.matchStart(match), functions.beginAttribute(match)))
          bounds.append((functions.end(match), functions.matchAttribute(match)))
        }
        return bounds
      }
    }
    state.value = functions.nextLine(match)
    var start = line.startIndex
    for (end, kind) in bounds {
      let index = line.utf8.index(line.startIndex, offsetBy: min(max(0, end), line.utf8.count))
      guard index > start else { continue }
      pieces.append(Piece(text: line[start..<index], kind: Kind(rawValue: kind) ?? .plain))
      start = index
    }
    if start < line.endIndex { pieces.append(Piece(text: line[start...], kind: .plain)) }
    return pieces
  }
}
