// SPDX-License-Identifier: Apache-2.0

/// Reads the beginning of a JSON text, by closing what is open and reading the result.
package struct PartialJSON {
  private var index = 0
  /// The closing brackets and braces of what is open, the outermost first.
  private var closers: [UInt8] = []
  /// The end of what can be kept, and what closes it.
  private var end = 0
  private var ending: [UInt8] = []

  /// The complete part of a value: it lacks members and elements that have not begun, numbers and words that may go on,
  /// and the end of its last string.
  ///
  /// - Returns: nil if there is nothing yet, or no JSON.
  package static func read(_ text: Substring) -> ChappieJSONValue? {
    let bytes = Array(text.utf8)
    var reader = PartialJSON()
    reader.scan(bytes.span)
    let closed = Array(bytes[..<reader.end]) + reader.ending
    return try? ChappieJSONValue(parsing: closed.span)
  }

  /// The JSON of an answer. A model can say something before it, in a paragraph of its own.
  package static func document(in answer: String) -> Substring {
    guard let gap = answer.ranges(of: AnswerText.gap + "{").last else { return answer[...] }
    return answer[gap.lowerBound...].dropFirst(AnswerText.gap.count)
  }

  private mutating func scan(_ json: borrowing Span<UInt8>) {
    // Whether a string that comes next is a member's name.
    var isName = false
    while index < json.count {
      let byte = json[index]
      switch byte {
      case .space, .tab, .lineFeed, .return: index += 1
      case .openBrace, .openBracket:
        isName = byte == .openBrace
        closers.append(isName ? .closeBrace : .closeBracket)
        keep(to: index + 1)
      case .closeBrace, .closeBracket:
        guard closers.popLast() == byte else { return }
        keep(to: index + 1)
      case .colon:
        isName = false
        index += 1
      case .comma:
        isName = closers.last == .closeBrace
        index += 1
      case .quote:
        guard let content = JSONScanner.string(json, index, json.count) else {
          if !isName { keep(to: Self.endOfText(json, from: index + 1), closing: [.quote]) }
          return
        }
        if isName { index = content.upperBound + 1 } else { keep(to: content.upperBound + 1) }
      default:
        let scalarEnd = Self.endOfScalar(json, from: index)
        guard scalarEnd > index, scalarEnd < json.count else { return }
        keep(to: scalarEnd)
      }
      if closers.isEmpty, end > 0 { return }
    }
  }

  private mutating func keep(to end: Int, closing: [UInt8] = []) {
    index = end
    self.end = end
    ending = closing + closers.reversed()
  }

  /// The end of the number or word that starts at `start`.
  private static func endOfScalar(_ json: borrowing Span<UInt8>, from start: Int) -> Int {
    var index = start
    while index < json.count, json[index].isAlphanumeric || "+-.".utf8.contains(json[index]) { index += 1 }
    return index
  }

  /// The end of the whole characters and escapes of a string whose content starts at `start`.
  private static func endOfText(_ json: borrowing Span<UInt8>, from start: Int) -> Int {
    var index = start
    while index < json.count {
      guard json[index] == .backslash else {
        index += 1
        continue
      }
      let isUnicode = index + 1 < json.count && json[index + 1] == UInt8(ascii: "u")
      let length = isUnicode ? 6 : 2
      guard index + length <= json.count else { break }
      // The other half of a surrogate pair may follow.
      if isUnicode, isLeadingHalf(json, index + 2), index + 12 > json.count { break }
      index += length
    }
    return index
  }

  /// Whether the digits from `start` on are those of the first half of a surrogate pair: D800 to DBFF.
  private static func isLeadingHalf(_ json: borrowing Span<UInt8>, _ start: Int) -> Bool {
    "dD".utf8.contains(json[start]) && "89abAB".utf8.contains(json[start + 1])
  }
}
