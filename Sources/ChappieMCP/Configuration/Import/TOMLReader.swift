// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Platform

/// Reads TOML as far as configurations of servers need it: tables, dotted keys, strings, numbers, booleans, arrays and
/// inline tables. Dates, and numbers in other forms than decimal ones, are read as texts. Debian's libraries for TOML
/// are in C++ alone.
struct TOMLReader {
  private static let depthLimit = 32

  private let bytes: [UInt8]
  private var index = 0
  private var depth = 0

  /// What a document has under `mcp_servers`. Of the rest, only the syntax is checked.
  ///
  /// - Throws: ``ClauseError`` with the line that cannot be read.
  static func read(_ text: String) throws(ClauseError) -> ChappieJSONValue {
    var reader = TOMLReader(bytes: Array(text.utf8))
    return try reader.document()
  }

  private var problem: ClauseError {
    let line = bytes.prefix(index).count { $0 == UInt8(ascii: "\n") } + 1
    return ClauseError(translatable("its line \(line) cannot be read"))
  }

  // MARK: Lines

  private mutating func document() throws(ClauseError) -> ChappieJSONValue {
    var root: ChappieJSONValue = [:]
    var table: [String]? = []
    while true {
      skipLines()
      guard let byte = next else { return root }
      if byte == UInt8(ascii: "[") {
        table = try header()
        // A server without a key is there, and has no command.
        if let table, table.first == "mcp_servers", table.reduce(root, { $0?[$1] }) == nil,
          !root.add([:], at: table[...])
        {
          throw problem
        }
      } else {
        let path = try key()
        try expect("=")
        let value = try self.value()
        if let path = table.map({ $0 + path }), path.first == "mcp_servers", !root.add(value, at: path[...]) {
          throw problem
        }
      }
      skip(while: \.isSpace)
      _ = skipComment()
      guard next?.isLineEnd ?? true else { throw problem }
    }
  }

  /// The path of a table, `[a.b]`; nil for an element of an array of tables, `[[a.b]]`, which no server needs.
  private mutating func header() throws(ClauseError) -> [String]? {
    try expect("[")
    let isElement = next == UInt8(ascii: "[")
    if isElement { index += 1 }
    let path = try key()
    try expect("]")
    if isElement { try expect("]") }
    guard !isElement || path != ["mcp_servers"] else { throw problem }
    return isElement ? nil : path
  }

  private mutating func key() throws(ClauseError) -> [String] {
    var parts: [String] = []
    repeat {
      skip(while: \.isSpace)
      if next == UInt8(ascii: "\"") || next == UInt8(ascii: "'") {
        parts.append(try string())
      } else {
        let name = word { $0.isNameByte || $0 == UInt8(ascii: "-") }
        guard !name.isEmpty else { throw problem }
        parts.append(name)
      }
      skip(while: \.isSpace)
      guard parts.count <= Self.depthLimit else { throw problem }
    } while take(".")
    return parts
  }

  // MARK: Values

  private mutating func value() throws(ClauseError) -> ChappieJSONValue {
    skip(while: \.isSpace)
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthLimit else { throw problem }
    switch next {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try string())
    case UInt8(ascii: "["): return .array(try elements())
    case UInt8(ascii: "{"): return try inlineTable()
    default:
      let text = word { !$0.isSpace && !$0.isLineEnd && !Array(",]}#=[{\"'".utf8).contains($0) }
      guard !text.isEmpty else { throw problem }
      if text == "true" || text == "false" { return .bool(text == "true") }
      let digits = text.replacing("_", with: "")
      return Int64(digits).map { .integer($0) } ?? Double(digits).map { .number($0) } ?? .string(text)
    }
  }

  private mutating func elements() throws(ClauseError) -> [ChappieJSONValue] {
    try expect("[")
    var elements: [ChappieJSONValue] = []
    while true {
      skipLines()
      if take("]") { return elements }
      elements.append(try value())
      skipLines()
      if take("]") { return elements }
      try expect(",")
    }
  }

  private mutating func inlineTable() throws(ClauseError) -> ChappieJSONValue {
    try expect("{")
    var table: ChappieJSONValue = [:]
    while true {
      skipLines()
      if take("}") { return table }
      let path = try key()
      try expect("=")
      guard table.add(try value(), at: path[...]) else { throw problem }
      skipLines()
      if take("}") { return table }
      try expect(",")
    }
  }

  // MARK: Strings

  /// A basic or a literal string, on one line or, between three quotes, on several.
  private mutating func string() throws(ClauseError) -> String {
    guard let quote = next else { throw problem }
    let isLong = bytes[index...].starts(with: [quote, quote, quote])
    let end = [UInt8](repeating: quote, count: isLong ? 3 : 1)
    index += end.count
    if isLong {
      if next == UInt8(ascii: "\r") { index += 1 }
      if next == UInt8(ascii: "\n") { index += 1 }
    }
    var content: [UInt8] = []
    while let byte = next {
      if bytes[index...].starts(with: end) {
        index += end.count
        // Up to two quotes may stand before the end.
        while isLong, next == quote {
          content.append(quote)
          index += 1
        }
        guard let text = String(validating: content, as: UTF8.self) else { throw problem }
        return text
      }
      guard isLong || !byte.isLineEnd else { throw problem }
      index += 1
      if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        try escape(into: &content)
      } else {
        content.append(byte)
      }
    }
    throw problem
  }

  private mutating func escape(into content: inout [UInt8]) throws(ClauseError) {
    guard let kind = next else { throw problem }
    index += 1
    switch kind {
    case UInt8(ascii: "b"): content.append(8)
    case UInt8(ascii: "t"): content.append(9)
    case UInt8(ascii: "n"): content.append(10)
    case UInt8(ascii: "f"): content.append(12)
    case UInt8(ascii: "r"): content.append(13)
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): content.append(kind)
    case UInt8(ascii: "u"), UInt8(ascii: "U"):
      let digits = bytes[index...].prefix(kind == UInt8(ascii: "u") ? 4 : 8)
      guard let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
        let scalar = Unicode.Scalar(number)
      else { throw problem }
      index += digits.count
      content += String(scalar).utf8
    // A line that goes on in the next one.
    case _ where kind.isSpace || kind.isLineEnd: skip { $0.isSpace || $0.isLineEnd }
    default: throw problem
    }
  }

  // MARK: Bytes

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skip(while isSkipped: (UInt8) -> Bool) {
    while let byte = next, isSkipped(byte) { index += 1 }
  }

  private mutating func word(_ isPart: (UInt8) -> Bool) -> String {
    let start = index
    skip(while: isPart)
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private mutating func skipComment() -> Bool {
    guard next == UInt8(ascii: "#") else { return false }
    skip { $0 != UInt8(ascii: "\n") }
    return true
  }

  private mutating func skipLines() {
    repeat { skip { $0.isSpace || $0.isLineEnd } } while skipComment()
  }

  private mutating func take(_ sign: Unicode.Scalar) -> Bool {
    guard let next, UInt32(next) == sign.value else { return false }
    index += 1
    return true
  }

  private mutating func expect(_ sign: Unicode.Scalar) throws(ClauseError) {
    guard take(sign) else { throw problem }
  }
}

extension UInt8 {
  fileprivate var isSpace: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
  fileprivate var isLineEnd: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }
}

extension ChappieJSONValue {
  /// Adds a value to an object. False if there is one at this path, or if something on the way is no object.
  fileprivate mutating func add(_ value: ChappieJSONValue, at path: ArraySlice<String>) -> Bool {
    guard case .object(var members) = self, let name = path.first else { return false }
    // Otherwise each change would copy the object.
    self = .null
    if path.count == 1 {
      guard members.updateValue(value, forKey: name) == nil else { return false }
    } else {
      var inner = members.removeValue(forKey: name) ?? [:]
      guard inner.add(value, at: path.dropFirst()) else { return false }
      members[name] = inner
    }
    self = .object(members)
    return true
  }
}
