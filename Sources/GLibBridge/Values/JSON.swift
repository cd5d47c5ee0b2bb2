import CGLib
import CJSONGLib

/// A JSON value, written by JSON-GLib.
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

  /// The text of this value on one line.
  public var encoded: [UInt8] {
    let root = node
    defer { json_node_unref(root) }
    let text = json_to_string(root, 0)
    defer { g_free(text) }
    let bytes = text.map { Array(String(cString: $0).utf8) } ?? []
    // JSON-GLib 1.6 escapes every control character but the last.
    return bytes.contains(0x1F) ? bytes.flatMap { $0 == 0x1F ? Array("\\u001f".utf8) : [$0] } : bytes
  }

  private var node: OpaquePointer? {
    switch self {
    case .object(let members):
      let object = json_object_new()
      for (key, value) in members.sorted(by: { $0.key < $1.key }) {
        json_object_set_member(object, key.withoutZeros, value.node)
      }
      return json_node_init_object(json_node_alloc(), object).consuming { json_object_unref(object) }
    case .array(let elements):
      let array = json_array_new()
      for element in elements { json_array_add_element(array, element.node) }
      return json_node_init_array(json_node_alloc(), array).consuming { json_array_unref(array) }
    case .string(let text): return json_node_init_string(json_node_alloc(), text.withoutZeros)
    case .integer(let number): return json_node_init_int(json_node_alloc(), gint64(number))
    case .double(let number): return json_node_init_double(json_node_alloc(), number)
    case .bool(let value): return json_node_init_boolean(json_node_alloc(), value ? 1 : 0)
    case .null: return json_node_init_null(json_node_alloc())
    }
  }
}

extension Optional {
  /// This value, after `release` has dropped the reference that it has taken over.
  fileprivate func consuming(_ release: () -> Void) -> Optional {
    release()
    return self
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
