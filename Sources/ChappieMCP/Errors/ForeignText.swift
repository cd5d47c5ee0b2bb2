// SPDX-License-Identifier: Apache-2.0
import Platform

/// Text of a server, which may be written to deceive the model or the reader.
enum ForeignText {
  /// The longest description, in bytes.
  static let descriptionLimit = 4 << 10
  private static let lineLimit = 300

  /// `text` without control characters, and without those that reorder text or hide in it.
  ///
  /// - Parameter limit: the most bytes of it. What is cut off is told.
  static func clean(_ text: String, limit: Int = descriptionLimit) -> String {
    // A character takes at most four bytes, and there may be invisible ones between them.
    let isLong = text.utf8.count > limit
    var start = isLong ? String(decoding: text.utf8.prefix(limit), as: UTF8.self) : text
    start.unicodeScalars.removeAll(where: isRemoved)
    return isLong ? start + "\n[cut here: the text had \(text.utf8.count) bytes]" : start
  }

  private static func isRemoved(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control: scalar != "\n" && scalar != "\t"
    case .privateUse: true
    // Joiners and the choice of a picture are parts of scripts and emoji.
    default:
      scalar.isInvisible
        || scalar.properties.isDefaultIgnorableCodePoint && !["\u{200C}", "\u{200D}", "\u{FE0F}"].contains(scalar)
    }
  }

  /// As ``clean(_:limit:)``, on one short line.
  static func line(_ text: String) -> String {
    let words = clean(text, limit: 4 * lineLimit).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return words.count > lineLimit ? words.prefix(lineLimit - 1) + "…" : words
  }
}
