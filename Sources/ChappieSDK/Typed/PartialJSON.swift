// SPDX-License-Identifier: Apache-2.0

/// Reads the beginning of an object of JSON, by closing what is open and reading the result.
package struct PartialJSON {
  private enum Outcome { case open, closed, damaged }

  private var index = 0
  /// The closing brackets and braces of what is open, the outermost first.
  private var closers: [UInt8] = []
  /// The end of what can be kept, and what closes it.
  private var end = 0
  private var ending: [UInt8] = []

  /// The complete part of an object: it lacks members and elements that have not begun, numbers and words that may go
  /// on, and the end of its last string.
  ///
  /// - Returns: nil if there is nothing yet, or no object.
  package static func read(_ text: Substring) -> ChappieJSONValue? {
    let bytes = Array(text.utf8)
    var reader = PartialJSON()
    _ = reader.scan(bytes.span)
    let closed = Array(bytes[..<reader.end]) + reader.ending
    let value = try? ChappieJSONValue(parsing: closed.span)
    return value?.objectValue == nil ? nil : value
  }

  /// The JSON of an answer. A model can say something before it, in a paragraph of its own, also an earlier object.
  package static func document(in answer: String) -> Substring {
    let bytes = Array(answer.utf8)
    let gap = Array((AnswerText.gap + "{").utf8)
    var start = 0
    while let end = endOfObject(bytes.span, from: start), let next = bytes[end...].firstRange(of: gap) {
      start = next.upperBound - 1
    }
    return answer[answer.utf8.index(answer.startIndex, offsetBy: start)...]
  }

  /// The end of the object that starts at `start`; `start` if there is none. Nil for an object that goes on.
  private static func endOfObject(_ json: borrowing Span<UInt8>, from start: Int) -> Int? {
    let first = JSONScanner.skipSpace(json, start, json.count)
    guard first < json.count, json[first] == .openBrace else { return start }
    var reader = PartialJSON()
    reader.index = first
    return reader.scan(json) == .open ? nil : reader.index
  }

  private mutating func scan(_ json: borrowing Span<UInt8>) -> Outcome {
    // Whether a string that comes next is a member's name.
    var isName = false
    while index < json.count {
      let byte = json[index]
      switch byte {
      case .space, .tab, .lineFeed, .return: index += 1
      case .openBrace, .openBracket:
        guard !isName else { return .damaged }
        isName = byte == .openBrace
        closers.append(isName ? .closeBrace : .closeBracket)
        keep(to: index + 1)
      case .closeBrace, .closeBracket:
        guard closers.popLast() == byte else { return .damaged }
        isName = false
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
          return .open
        }
        if isName { index = content.upperBound + 1 } else { keep(to: content.upperBound + 1) }
      default:
        let scalarEnd = JSONScanner.skipScalar(json, index, json.count)
        guard scalarEnd > index, !isName else { return .damaged }
        guard scalarEnd < json.count else { return .open }
        keep(to: scalarEnd)
      }
      if closers.isEmpty, end > 0 { return .closed }
    }
    return .open
  }

  private mutating func keep(to end: Int, closing: [UInt8] = []) {
    index = end
    self.end = end
    ending = closing + closers.reversed()
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
      if JSONText.codeUnit(json, index).map(UTF16.isLeadSurrogate) == true, index + 12 > json.count { break }
      index += length
    }
    return index
  }
}
