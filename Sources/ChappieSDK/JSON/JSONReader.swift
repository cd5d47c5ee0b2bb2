// SPDX-License-Identifier: Apache-2.0
import SecretMemory

/// Parses JSON text by RFC 8259, in one pass. The cost is proportional to the number of bytes for every input.
///
/// JSON-GLib is not suitable: it accepts more than JSON, wraps large numbers around, recurses without limit, and needs
/// quadratic time for repeated keys.
struct JSONReader {
  private var index = 0
  private var depth = 0
  private var valuesLeft: Int
  /// Whether the beginning of an object is enough: a problem then ends it.
  private var isPartial = false
  /// Whether a problem has ended it.
  private var isCut = false

  /// Parses one value, with nothing but white space around it.
  static func read(_ json: borrowing Span<UInt8>, valueLimit: Int) throws(JSONProblem) -> ChappieJSONValue {
    var reader = JSONReader(valuesLeft: valueLimit)
    let value = try reader.value(json)
    guard reader.next(json) == nil else { throw .malformed }
    return value
  }

  /// Reads the complete part of an object: it lacks members and elements that have not begun, a number that may go on,
  /// half a word, and the end of its last string.
  ///
  /// - Returns: the object, nil if none begins at `start`; the end of all of it, damaged parts too.
  static func beginning(of json: borrowing Span<UInt8>, from start: Int) -> (object: ChappieJSONValue?, end: Int) {
    var reader = JSONReader(index: start, valuesLeft: ChappieJSONValue.valueLimit, isPartial: true)
    guard reader.next(json) == .openBrace else { return (nil, start) }
    let first = reader.index
    let object = try? reader.value(json)
    guard object == nil || reader.isCut else { return (object, reader.index) }
    return (object, JSONScanner.skipNested(json, first, json.count) ?? json.count)
  }

  // MARK: Values

  private mutating func value(_ json: borrowing Span<UInt8>) throws(JSONProblem) -> ChappieJSONValue {
    valuesLeft -= 1
    guard valuesLeft >= 0 else { throw .tooManyValues }
    switch next(json) {
    case UInt8.openBrace: return .object(try members(json))
    case UInt8.openBracket: return .array(try elements(json))
    case UInt8.quote: return .string(try string(json, mayBeCut: isPartial))
    case UInt8(ascii: "t"): return try word("true", .bool(true), json)
    case UInt8(ascii: "f"): return try word("false", .bool(false), json)
    case UInt8(ascii: "n"): return try word("null", .null, json)
    default: return try number(json)
    }
  }

  /// The members of the object that starts here. Two names that `String` takes for one are malformed.
  private mutating func members(_ json: borrowing Span<UInt8>) throws(JSONProblem) -> [String: ChappieJSONValue] {
    var members: [String: ChappieJSONValue] = [:]
    var isAtEnd = try enter(json, before: .closeBrace)
    do throws(JSONProblem) {
      while !isAtEnd {
        guard next(json) == .quote else { throw .malformed }
        let key = try string(json)
        guard next(json) == .colon else { throw .malformed }
        index += 1
        if let first = members.updateValue(try value(json), forKey: key) {
          // What is there already stays.
          members[key] = first
          throw .malformed
        }
        isAtEnd = isCut ? true : try isLast(json, before: .closeBrace)
      }
    } catch {
      try cut(at: error)
    }
    depth -= 1
    return members
  }

  /// The elements of the array that starts here.
  private mutating func elements(_ json: borrowing Span<UInt8>) throws(JSONProblem) -> [ChappieJSONValue] {
    var elements: [ChappieJSONValue] = []
    var isAtEnd = try enter(json, before: .closeBracket)
    do throws(JSONProblem) {
      while !isAtEnd {
        elements.append(try value(json))
        isAtEnd = isCut ? true : try isLast(json, before: .closeBracket)
      }
    } catch {
      try cut(at: error)
    }
    depth -= 1
    return elements
  }

  /// Skips an opening brace or bracket, and the closing one if it comes next.
  ///
  /// - Returns: whether the closing one came next.
  private mutating func enter(_ json: borrowing Span<UInt8>, before close: UInt8) throws(JSONProblem) -> Bool {
    guard depth < ChappieJSONValue.depthLimit else { throw .tooDeep }
    depth += 1
    index += 1
    guard next(json) == close else { return false }
    index += 1
    return true
  }

  /// Skips the comma after an element, or the closing brace or bracket.
  private mutating func isLast(_ json: borrowing Span<UInt8>, before close: UInt8) throws(JSONProblem) -> Bool {
    let byte = next(json)
    guard byte == close || byte == .comma else { throw .malformed }
    index += 1
    return byte == close
  }

  private mutating func cut(at problem: JSONProblem) throws(JSONProblem) {
    guard isPartial else { throw problem }
    isCut = true
  }

  /// Skips white space and returns the next byte without skipping it; nil at the end.
  private mutating func next(_ json: borrowing Span<UInt8>) -> UInt8? {
    index = JSONScanner.skipSpace(json, index, json.count)
    return index < json.count ? json[index] : nil
  }

  private mutating func word(
    _ word: StaticString, _ value: ChappieJSONValue, _ json: borrowing Span<UInt8>
  ) throws(JSONProblem) -> ChappieJSONValue {
    let end = index + word.utf8CodeUnitCount
    guard end <= json.count, json.equals(index..<end, word) else { throw .malformed }
    index = end
    return value
  }

  /// The string that starts here. Without a closing quote it goes on to the end.
  private mutating func string(_ json: borrowing Span<UInt8>, mayBeCut: Bool = false) throws(JSONProblem) -> String {
    guard let content = JSONScanner.string(json, index, json.count) else {
      let start = index + 1
      index = json.count
      guard mayBeCut, let text = JSONText.read(json, start..<JSONText.endOfText(json, from: start)) else {
        throw .malformed
      }
      isCut = true
      return text
    }
    guard let text = JSONText.read(json, content) else { throw .malformed }
    index = content.upperBound + 1
    return text
  }

  // MARK: Numbers

  /// `-`, digits without a leading zero, a fraction, an exponent. An integer beyond `Int64` becomes a `Double`.
  private mutating func number(_ json: borrowing Span<UInt8>) throws(JSONProblem) -> ChappieJSONValue {
    let start = index
    _ = skip(UInt8(ascii: "-"), json)
    let whole = skipDigits(json)
    guard !whole.isEmpty, whole.count == 1 || json[whole.lowerBound] != UInt8(ascii: "0") else { throw .malformed }
    var isWhole = true
    if skip(UInt8(ascii: "."), json) {
      isWhole = false
      guard !skipDigits(json).isEmpty else { throw .malformed }
    }
    if skip(UInt8(ascii: "e"), json) || skip(UInt8(ascii: "E"), json) {
      isWhole = false
      if !skip(UInt8(ascii: "+"), json) { _ = skip(UInt8(ascii: "-"), json) }
      guard !skipDigits(json).isEmpty else { throw .malformed }
    }
    // A number at the end may go on.
    guard !isPartial || index < json.count else { throw .malformed }
    let text = JSONText.decode(json, start..<index)
    if isWhole, let number = Int64(text) { return .integer(number) }
    guard let number = Double(text), number.isFinite else { throw .malformed }
    return .number(number)
  }

  private mutating func skip(_ byte: UInt8, _ json: borrowing Span<UInt8>) -> Bool {
    guard index < json.count, json[index] == byte else { return false }
    index += 1
    return true
  }

  private mutating func skipDigits(_ json: borrowing Span<UInt8>) -> Range<Int> {
    let start = index
    while index < json.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(json[index]) { index += 1 }
    return start..<index
  }
}

/// The reason why a text cannot be parsed as JSON.
package enum JSONProblem: Error {
  /// The text is not valid JSON or not UTF-8.
  case malformed
  /// The text is nested deeper than ``ChappieJSONValue/depthLimit``.
  case tooDeep
  case tooManyValues
}
