/// Looks over JSON text before JSON-GLib reads it, which is more generous than JSON is: it takes comments, `'a'`,
/// `var a = 1`, `0x10`, `010`, `"\q"`, a second value behind the first and nothing at all. It ends a text at `\u0000`
/// and spoils one with half a surrogate pair. And it reads by recursion.
struct JSONGrammar {
  /// Values may be nested this deep.
  static let depthLimit = 256

  private var bytes: [UInt8]
  private var index = 0
  private var depth = 0
  private var roots = 0
  /// The ends of the whole numbers that no `Int64` holds.
  private var overflows: [Int] = []

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The text as JSON-GLib reads it right: whole numbers that it would wrap around are written as fractions, and
  /// U+0000 and half surrogate pairs as U+FFFD. Nil for what is no JSON or too deep. Brackets and commas are
  /// JSON-GLib's to check.
  static func prepared(_ bytes: [UInt8]) -> [UInt8]? {
    var grammar = JSONGrammar(bytes)
    guard grammar.scan() else { return nil }
    var prepared = grammar.bytes
    for end in grammar.overflows.reversed() { prepared.insert(contentsOf: ".0".utf8, at: end) }
    return prepared
  }

  private mutating func scan() -> Bool {
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: ","),
        UInt8(ascii: ":"):
        index += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        depth -= 1
        index += 1
      default:
        if depth == 0 { roots += 1 }
        guard roots == 1, value(byte) else { return false }
      }
    }
    return roots == 1
  }

  private mutating func value(_ first: UInt8) -> Bool {
    switch first {
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      depth += 1
      index += 1
      return depth <= Self.depthLimit
    case UInt8(ascii: "\""):
      return string()
    default:
      let start = index
      while index < bytes.count, Self.isWordByte(bytes[index]) { index += 1 }
      return word(bytes[start..<index])
    }
  }

  // MARK: Strings

  private mutating func string() -> Bool {
    index += 1
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        index += 1
        return true
      case UInt8(ascii: "\\"):
        guard escape() else { return false }
      case 0..<0x20: return false
      default: index += 1
      }
    }
    return false
  }

  private mutating func escape() -> Bool {
    guard index + 1 < bytes.count else { return false }
    switch bytes[index + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      index += 2
      return true
    case UInt8(ascii: "u"):
      guard let unit = codeUnit(at: index) else { return false }
      if UTF16.isLeadSurrogate(unit), let next = codeUnit(at: index + 6), UTF16.isTrailSurrogate(next) {
        index += 12
        return true
      }
      if unit == 0 || UTF16.isLeadSurrogate(unit) || UTF16.isTrailSurrogate(unit) {
        bytes.replaceSubrange(index..<(index + 6), with: "\\ufffd".utf8)
      }
      index += 6
      return true
    default: return false
    }
  }

  /// What `\uXXXX` at `start` stands for; nil when there is no such thing.
  private func codeUnit(at start: Int) -> UInt16? {
    guard start + 6 <= bytes.count, bytes[start] == UInt8(ascii: "\\"), bytes[start + 1] == UInt8(ascii: "u") else {
      return nil
    }
    var unit: UInt16 = 0
    for byte in bytes[(start + 2)..<(start + 6)] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }

  // MARK: Words and numbers

  private mutating func word(_ word: ArraySlice<UInt8>) -> Bool {
    switch String(decoding: word, as: UTF8.self) {
    case "true", "false", "null": return true
    case let text:
      guard Self.isNumber(word), let number = Double(text), number.isFinite else { return false }
      if text.utf8.allSatisfy({ Self.isDigit($0) || $0 == UInt8(ascii: "-") }), Int64(text) == nil {
        overflows.append(index)
      }
      return true
    }
  }

  /// `-`, digits without a leading zero, a fraction, an exponent.
  private static func isNumber(_ word: ArraySlice<UInt8>) -> Bool {
    var rest = word
    if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
    let whole = rest.prefix(while: isDigit)
    guard whole.count == 1 || (whole.count > 1 && whole.first != UInt8(ascii: "0")) else { return false }
    rest = rest[whole.endIndex...]
    if rest.first == UInt8(ascii: ".") {
      let fraction = rest.dropFirst().prefix(while: isDigit)
      guard !fraction.isEmpty else { return false }
      rest = rest[fraction.endIndex...]
    }
    guard let letter = rest.first else { return true }
    guard letter | 0x20 == UInt8(ascii: "e") else { return false }
    rest.removeFirst()
    if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
    return !rest.isEmpty && rest.allSatisfy(isDigit)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "+")
      || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }
}
