// SPDX-License-Identifier: Apache-2.0
import SecretMemory

/// Finds members of a JSON object in bytes without decoding the others. ``JSONReader`` follows the same rules.
///
/// A general parser does not fit in two places: on the path from a delta's bytes to its signal, decoding would cost
/// more than everything else; and responses with tokens must not become strings.
enum JSONScanner {
  /// Calls `visit` with the ranges of each key (without quotes) and each value of the object in `json`.
  ///
  /// - Returns: false if `json` is not one JSON object. Ignore the visited members then.
  static func members(
    of json: borrowing Span<UInt8>, in range: Range<Int>? = nil,
    _ visit: (_ key: Range<Int>, _ value: Range<Int>) -> Void
  ) -> Bool {
    let end = range?.upperBound ?? json.count
    var index = skipSpace(json, range?.lowerBound ?? 0, end)
    guard index < end, json[index] == .openBrace else { return false }
    index = skipSpace(json, index + 1, end)
    if index < end, json[index] == .closeBrace { return skipSpace(json, index + 1, end) == end }
    while index < end {
      guard let key = string(json, index, end) else { return false }
      index = skipSpace(json, key.upperBound + 1, end)
      guard index < end, json[index] == .colon else { return false }
      let start = skipSpace(json, index + 1, end)
      guard let valueEnd = skipValue(json, start, end) else { return false }
      visit(key, start..<valueEnd)
      index = skipSpace(json, valueEnd, end)
      guard index < end else { return false }
      if json[index] == .closeBrace { return skipSpace(json, index + 1, end) == end }
      guard json[index] == .comma else { return false }
      index = skipSpace(json, index + 1, end)
    }
    return false
  }

  /// The range of the value of `key` in the object in `json`; nil if there is none, or several.
  static func value(of key: StaticString, in json: borrowing Span<UInt8>) -> Range<Int>? {
    var found = Member(name: key)
    let isObject = members(of: json) { found.take($0, $1, json) }
    return isObject && !found.isRepeated ? found.value : nil
  }

  /// The member of an object with a certain name.
  struct Member {
    let name: StaticString
    private(set) var value: Range<Int>?
    /// Whether the object has several, which no reader may choose between.
    private(set) var isRepeated = false

    /// Keeps `value` if `key` is the name, which may be written with escapes.
    mutating func take(_ key: Range<Int>, _ value: Range<Int>, _ json: borrowing Span<UInt8>) {
      guard json.equals(key, name) || key.count > name.utf8CodeUnitCount && isEscapedName(key, json) else { return }
      isRepeated = self.value != nil
      self.value = value
    }

    private func isEscapedName(_ key: Range<Int>, _ json: borrowing Span<UInt8>) -> Bool {
      json.firstIndex(of: .backslash, in: key) != nil
        && JSONText.decode(json, key).utf8.elementsEqual("\(name)".utf8)
    }
  }

  /// The content of the JSON string at `range`, without the quotes; nil for other values.
  static func stringContent(_ json: borrowing Span<UInt8>, _ range: Range<Int>) -> Range<Int>? {
    guard range.count >= 2, json[range.lowerBound] == .quote else { return nil }
    return (range.lowerBound + 1)..<(range.upperBound - 1)
  }

  // MARK: Skipping

  static func skipSpace(_ json: borrowing Span<UInt8>, _ start: Int, _ end: Int) -> Int {
    var index = start
    while index < end,
      json[index] == .space || json[index] == .tab || json[index] == .lineFeed || json[index] == .return
    {
      index += 1
    }
    return index
  }

  /// The content of the string that starts at `start`; nil if there is no opening or no closing quote.
  static func string(_ json: borrowing Span<UInt8>, _ start: Int, _ end: Int) -> Range<Int>? {
    guard start < end, json[start] == .quote else { return nil }
    var index = start + 1
    while index < end, let quote = json.firstIndex(of: .quote, in: index..<end) {
      if !isEscaped(json, quote, from: start + 1) { return (start + 1)..<quote }
      index = quote + 1
    }
    return nil
  }

  /// Whether an odd number of backslashes precedes `index`.
  private static func isEscaped(_ json: borrowing Span<UInt8>, _ index: Int, from start: Int) -> Bool {
    var first = index
    while first > start, json[first - 1] == .backslash { first -= 1 }
    return (index - first) % 2 == 1
  }

  /// The index after the value that starts at `start`.
  private static func skipValue(_ json: borrowing Span<UInt8>, _ start: Int, _ end: Int) -> Int? {
    guard start < end else { return nil }
    switch json[start] {
    case .quote: return string(json, start, end).map { $0.upperBound + 1 }
    case .openBrace, .openBracket: return skipNested(json, start, end)
    default:
      let index = skipScalar(json, start, end)
      return index > start && index < end ? index : nil
    }
  }

  /// The index after the object or array at `start`, by its brackets; nil if it does not end.
  static func skipNested(_ json: borrowing Span<UInt8>, _ start: Int, _ end: Int) -> Int? {
    var depth = 0
    var index = start
    while index < end {
      switch json[index] {
      case .openBrace, .openBracket: depth += 1
      case .closeBrace, .closeBracket:
        depth -= 1
        if depth == 0 { return index + 1 }
      case .quote:
        guard let text = string(json, index, end) else { return nil }
        index = text.upperBound
      default: break
      }
      index += 1
    }
    return nil
  }

  /// The index after the number or the word at `start`, by its set of characters, without a check that they form one.
  private static func skipScalar(_ json: borrowing Span<UInt8>, _ start: Int, _ end: Int) -> Int {
    var index = start
    while index < end, json[index].isAlphanumeric || isSign(json[index]) { index += 1 }
    return index
  }

  private static func isSign(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }
}

extension UInt8 {
  static let quote = UInt8(ascii: "\"")
  static let backslash = UInt8(ascii: "\\")
  static let openBrace = UInt8(ascii: "{")
  static let closeBrace = UInt8(ascii: "}")
  static let openBracket = UInt8(ascii: "[")
  static let closeBracket = UInt8(ascii: "]")
  static let comma = UInt8(ascii: ",")
  static let colon = UInt8(ascii: ":")
  static let space = UInt8(ascii: " ")
  static let tab = UInt8(ascii: "\t")
  static let lineFeed = UInt8(ascii: "\n")
  static let `return` = UInt8(ascii: "\r")
}
