/// A text that is looked up in the catalogue of the user's language. Write it as a literal in a call of ``tr(_:)``.
///
/// `make po` finds the literals in the source, so a text is one literal, without `+`. Each interpolation becomes a
/// numbered place of the catalogue's key: `"\(name) is \(state)"` has the key `%1$s is %2$s`, and a translation may
/// change their order.
public struct LocalizedText: ExpressibleByStringInterpolation, Sendable {
  let key: String
  private let values: [String]

  public init(stringLiteral value: String) {
    key = value
    values = []
  }

  public init(stringInterpolation: StringInterpolation) {
    key = stringInterpolation.key
    values = stringInterpolation.values
  }

  /// `template` with the values at their places. In a text without values, percent signs mean nothing.
  func filled(into template: String) -> String {
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
        text += values[place - 1]
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
  }
}
