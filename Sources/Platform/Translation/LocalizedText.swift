// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A text that is looked up in the catalogue of the user's language. Write it as a literal in a call of ``tr(_:)``.
///
/// `make po` finds the literals in the source, so a text is one literal, without `+`. Each interpolation becomes a
/// numbered place of the catalogue's key: `"\(name) is \(state)"` has the key `%1$s is %2$s`, and a translation may
/// change their order.
public struct LocalizedText: ExpressibleByStringInterpolation, Sendable {
  let key: String
  private(set) var values: [String]
  /// The values that are translated too, by their place.
  private var reasons: [Int: LocalizedText] = [:]

  public init(stringLiteral value: String) {
    key = value
    values = []
  }

  public init(stringInterpolation: StringInterpolation) {
    key = stringInterpolation.key
    values = stringInterpolation.values
    reasons = stringInterpolation.reasons
  }

  /// The text in English.
  public var original: String { filled(into: key) { values[$0] } }

  /// `template`, a translation, with the values at their places.
  func filled(into template: String) -> String { filled(into: template) { reasons[$0]?.translation ?? values[$0] } }

  /// In a text without values, percent signs mean nothing.
  private func filled(into template: String, with value: (Int) -> String) -> String {
    guard !values.isEmpty else { return template }
    var text = ""
    var rest = template[...]
    while let percent = rest.firstIndex(of: "%") {
      text += rest[..<percent]
      rest = rest[percent...].dropFirst()
      let number = rest.prefix { $0.isASCII && $0.isNumber }
      if rest.first == "%" {
        text += "%"
        rest = rest.dropFirst()
      } else if let place = Int(number), values.indices.contains(place - 1),
        rest.dropFirst(number.count).hasPrefix("$s")
      {
        text += value(place - 1)
        rest = rest.dropFirst(number.count + 2)
      } else {
        text += "%"
      }
    }
    return text + rest
  }

  /// The parts of an interpolated literal.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var key = ""
    fileprivate var values: [String] = []
    fileprivate var reasons: [Int: LocalizedText] = [:]

    public init(literalCapacity: Int, interpolationCount: Int) {}

    public mutating func appendLiteral(_ literal: String) {
      key += literal.replacing("%", with: "%%")
    }

    /// Adds a text, such as a name, or a sentence that was translated by itself.
    public mutating func appendInterpolation(_ value: some StringProtocol) {
      values.append(String(value))
      key += "%\(values.count)$s"
    }

    /// Adds a number, in digits.
    public mutating func appendInterpolation(_ value: some BinaryInteger) {
      appendInterpolation(String(value))
    }

    /// Adds the reason of a ``TranslatableError``, or the description of another error.
    public mutating func appendInterpolation(_ error: some Error) {
      let reason = (error as? any TranslatableError)?.reason
      reasons[values.count] = reason
      appendInterpolation(reason?.original ?? String(describing: error))
    }
  }
}

extension LocalizedText {
  /// The text of `key`, a key with places, that is `message` in English; nil if `message` is another text.
  init?(_ message: String, ofKey key: String) {
    let parts = Self.literals(of: key)
    guard let first = parts.first, let last = parts.dropFirst().last, message.hasPrefix(first) else { return nil }
    var rest = message.dropFirst(first.count)
    values = []
    for part in parts.dropFirst().dropLast() {
      guard let range = rest.firstRange(of: part) else { return nil }
      values.append(String(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    guard rest.hasSuffix(last) else { return nil }
    values.append(String(rest.dropLast(last.count)))
    self.key = key
  }

  func convertingValues(_ convert: (String) -> String) -> LocalizedText {
    var text = self
    text.values = values.map(convert)
    return text
  }

  /// The parts of a key with places before, between and after these.
  private static func literals(of key: String) -> [String] {
    var literals: [String] = []
    var rest = key[...]
    while let place = rest.firstRange(of: "%\(literals.count + 1)$s") {
      literals.append(String(rest[..<place.lowerBound]).replacing("%%", with: "%"))
      rest = rest[place.upperBound...]
    }
    return literals + [String(rest).replacing("%%", with: "%")]
  }
}

/// An error with a reason for people. Its description is in English.
public protocol TranslatableError: Error {
  var reason: LocalizedText { get }
}

/// Numbers as people of the user's locale write them.
public enum LocalizedNumber {
  /// A whole number with its digits in groups.
  public static func text(_ number: Int) -> String {
    formatted("%'ld", number)
  }

  /// A number with so many decimals.
  public static func text(_ number: Double, decimals: Int) -> String {
    formatted("%'.*f", Int32(clamping: decimals), number)
  }

  private static func formatted(_ format: String, _ values: any CVarArg...) -> String {
    var text = [CChar](repeating: 0, count: 512)
    let count = Translation.inUsersLocale {
      withVaList(values) { vsnprintf(&text, text.count, format, $0) }
    }
    let bytes = text.prefix(max(0, min(Int(count), text.count - 1))).map { UInt8(bitPattern: $0) }
    // In a locale without UTF-8, the mark between groups may be a no-break space of another character set.
    return String(decoding: bytes, as: UTF8.self).replacing("\u{FFFD}", with: "\u{A0}")
  }
}
