/// A JSON value whose objects keep the order of their members.
enum JSONValue: Sendable, Equatable {
  struct Member: Sendable, Equatable {
    let key: String
    let value: JSONValue
  }

  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([Member])

  /// The member of an object; nil for anything else.
  subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.key == key }?.value
  }

  var string: String? {
    if case .string(let string) = self { string } else { nil }
  }

  var integer: Int? {
    if case .integer(let number) = self { Int(number) } else { nil }
  }

  var bool: Bool? {
    if case .bool(let bool) = self { bool } else { nil }
  }

  /// The elements of a list; nil for anything else.
  var elements: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members of an object; nil for anything else.
  var members: [Member]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// This value as text without white space between its parts.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  init(stringLiteral value: String) { self = .string(value) }
  init(integerLiteral value: Int64) { self = .integer(value) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(elements.map(Member.init)) }
  init(nilLiteral: ()) { self = .null }

  init(_ value: Int) { self = .integer(Int64(value)) }
}

// Written by hand: a delta is written for every word of every stream, and JSONEncoder would be most of its cost.
extension JSONValue {
  func append(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .integer(let value): bytes += String(value).utf8
    case .number(let value): bytes += String(value).utf8
    case .string(let value): Self.append(value, to: &bytes)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        element.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.append(member.key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private static func append(_ string: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n"): bytes += "\\n".utf8
      case 0..<32:
        let hex = String(byte, radix: 16)
        bytes += "\\u00\(hex.utf8.count == 1 ? "0" : "")\(hex)".utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
