// SPDX-License-Identifier: Apache-2.0

/// A character by its name or number, such as `&amp;` or `&#8212;`.
enum CharacterReference {
  /// The names in a model's answers. md4c knows none, and Markdown needs no others: each character can stand for itself.
  private static let names: [String: String] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "copy": "©", "reg": "®",
    "trade": "™", "hellip": "…", "mdash": "—", "ndash": "–", "larr": "←", "rarr": "→", "le": "≤", "ge": "≥",
    "ne": "≠", "times": "×", "middot": "·", "bull": "•", "deg": "°", "euro": "€",
  ]

  /// The character; the reference itself if it is unknown.
  ///
  /// - Parameter reference: from the ampersand to the semicolon.
  static func text(_ reference: String) -> String {
    let name = reference.dropFirst().dropLast()
    guard name.first == "#" else { return names[String(name)] ?? reference }
    let number = name.dropFirst()
    let value = number.first == "x" || number.first == "X" ? UInt32(number.dropFirst(), radix: 16) : UInt32(number)
    guard let value, let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .control else {
      return "\u{FFFD}"
    }
    return String(scalar)
  }
}
