/// The text of a turn's answer while it grows, over all requests that the turn makes. It is kept here and nowhere else.
package final class AnswerText {
  /// What stands between two messages: each is a paragraph.
  static let gap = "\n\n"

  /// All of it.
  package private(set) var whole = ""
  /// Where the answer to the latest request begins, in bytes of UTF-8.
  private var latestStart = 0

  package init() {}

  /// The length of ``whole`` in bytes of UTF-8.
  package var byteCount: Int { whole.utf8.count }

  /// What came behind the first `start` bytes, where a character begins.
  package func suffix(from start: Int) -> Substring {
    whole[whole.utf8.index(whole.startIndex, offsetBy: start)...]
  }

  /// What comes from now on answers another request.
  func beginAnswer() {
    latestStart = byteCount
  }

  /// Appends a piece, behind a gap where it is the first one of a further answer.
  ///
  /// - Returns: what was appended.
  @discardableResult
  func append(_ piece: String) -> String {
    guard latestStart > 0, latestStart == byteCount, !piece.isEmpty else {
      whole += piece
      return piece
    }
    whole += Self.gap
    latestStart = byteCount
    whole += piece
    return Self.gap + piece
  }

  // MARK: The answer to the latest request

  /// Its length in bytes of UTF-8.
  var latestByteCount: Int { byteCount - latestStart }

  var latest: Substring { suffix(from: latestStart) }

  /// The bytes of it from `start` on, at most `count`.
  func latestBytes(from start: Int, count: Int = .max) -> Substring.UTF8View.SubSequence {
    suffix(from: latestStart + start).utf8.prefix(count)
  }
}
