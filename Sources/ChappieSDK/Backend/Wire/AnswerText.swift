// SPDX-License-Identifier: Apache-2.0

/// The growing text of a turn's answer, over all requests of the turn.
package final class AnswerText {
  /// Separates two messages, which are paragraphs of the answer.
  static let gap = "\n\n"

  /// The whole text.
  package private(set) var whole = ""
  /// The beginning of the answer to the latest request, in bytes of UTF-8.
  private(set) var latestStart = 0

  package init() {}

  /// The length of ``whole`` in bytes of UTF-8.
  package var byteCount: Int { whole.utf8.count }

  /// The text after the first `start` bytes; `start` must be the beginning of a character.
  package func suffix(from start: Int) -> Substring {
    whole[whole.utf8.index(whole.startIndex, offsetBy: start)...]
  }

  /// The text of the bytes from `start` to `end` at most; both must be within the text, and `start` the beginning of a
  /// character. It ends with a whole character.
  package func piece(from start: Int, to end: Int) -> Substring.UTF8View {
    let bytes = whole.utf8
    var last = bytes.index(bytes.startIndex, offsetBy: end)
    while last < bytes.endIndex, bytes[last] & 0xc0 == 0x80 { last = bytes.index(before: last) }
    return Substring(bytes[bytes.index(bytes.startIndex, offsetBy: start)..<last]).utf8
  }

  /// Begins the answer to another request.
  func beginAnswer() {
    latestStart = byteCount
  }

  /// Appends a piece, after a gap if it is the first one of a further answer.
  ///
  /// - Returns: the text that was appended.
  @discardableResult
  package func append(_ piece: String) -> String {
    guard latestStart > 0, latestStart == byteCount, !piece.isEmpty else {
      whole += piece
      return piece
    }
    whole += Self.gap
    latestStart = byteCount
    whole += piece
    return Self.gap + piece
  }

  /// Gives back the room for growth, which may be as much as the text.
  ///
  /// - Returns: the whole text.
  func settle() -> String {
    whole = String(decoding: whole.utf8, as: UTF8.self)
    return whole
  }

  /// Keeps `text`, which is the same, in place of a second copy.
  package func share(_ text: String) { whole = text }

  // MARK: The answer to the latest request

  /// The length of that answer in bytes of UTF-8.
  var latestByteCount: Int { byteCount - latestStart }

  var latest: Substring { suffix(from: latestStart) }

  /// At most `count` bytes of that answer from `start` on.
  func latestBytes(from start: Int, count: Int = .max) -> Substring.UTF8View.SubSequence {
    suffix(from: latestStart + start).utf8.prefix(count)
  }
}
