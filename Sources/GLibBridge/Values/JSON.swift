/// A JSON value: see ``JSONReader`` and ``JSONWriter``.
public enum JSON: Sendable, Equatable {
  case object([String: JSON])
  case array([JSON])
  case string(String)
  case integer(Int64)
  case double(Double)
  case bool(Bool)
  case null

  /// Values may be nested this deep.
  public static let depthLimit = 256
  /// The most values that one text may hold: each takes more memory than its text may.
  public static let valueLimit = 1_000_000
  private static let errorDomain = "chappie-json"

  /// Reads a text; see ``JSONReader``. Escapes for U+0000, which GLib's strings cannot hold, and for half a surrogate
  /// pair are read as U+FFFD.
  ///
  /// - Throws: ``GLibError`` for bytes that are not JSON, nested deeper than ``depthLimit``, or more than `valueLimit`
  ///   values; ``GLibError/isJSONLimit`` tells the last two.
  public init(parsing bytes: [UInt8], valueLimit: Int = JSON.valueLimit) throws {
    do throws(JSONReader.Problem) {
      self = try bytes.withUnsafeBufferPointer { bytes throws(JSONReader.Problem) in
        try JSONReader.read(bytes, valueLimit: valueLimit)
      }
    } catch {
      switch error {
      case .malformed: throw GLibError(domain: Self.errorDomain, code: 0, message: "this is no JSON")
      case .tooDeep:
        throw GLibError(domain: Self.errorDomain, code: 1, message: "it is nested deeper than \(Self.depthLimit)")
      case .tooManyValues:
        throw GLibError(domain: Self.errorDomain, code: 1, message: "it has more than \(valueLimit) values")
      }
    }
  }

  // MARK: Reading

  /// A member of an object; nil where there is none, and for any other value.
  public subscript(key: String) -> JSON? {
    if case .object(let members) = self { return members[key] }
    return nil
  }

  public var string: String? {
    if case .string(let text) = self { return text }
    return nil
  }

  public var double: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .double(let number): number
    default: nil
    }
  }

  /// A whole number, also one that was written with a fraction of zero.
  public var integer: Int64? {
    double.flatMap { Int64(exactly: $0.rounded(.towardZero)) }
  }

  public var bool: Bool? {
    if case .bool(let value) = self { return value }
    return nil
  }

  /// The elements of an array; none for any other value.
  public var elements: [JSON] {
    if case .array(let elements) = self { return elements }
    return []
  }

  // MARK: Writing

  /// The text of this value on one line, with the keys of objects in order.
  public var encoded: [UInt8] {
    var writer = JSONWriter()
    writer.write(self)
    return writer.bytes
  }
}

extension JSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral {
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(Dictionary(elements) { $1 })
  }

  public init(arrayLiteral elements: JSON...) {
    self = .array(elements)
  }

  public init(stringLiteral value: String) {
    self = .string(value)
  }
}

extension JSON: ExpressibleByBooleanLiteral {
  public init(booleanLiteral value: Bool) {
    self = .bool(value)
  }
}

extension GLibError {
  /// Whether a text was JSON and more of it than is taken.
  public var isJSONLimit: Bool { domain == "chappie-json" && code == 1 }
}
