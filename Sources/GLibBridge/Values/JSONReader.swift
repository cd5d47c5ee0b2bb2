/// Reads JSON text as RFC 8259 has it, in one pass: what it costs is in proportion to the bytes, whatever is in them.
///
/// JSON-GLib does not serve here: it takes more than JSON, wraps numbers around, reads by unbounded recursion, and needs
/// quadratic time for keys that come twice.
struct JSONReader {
  enum Problem: Error {
    /// It is no JSON, or no UTF-8.
    case malformed
    case tooDeep
    case tooManyValues
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private var index = 0
  private var depth = 0
  private var valuesLeft: Int

  private init(_ bytes: UnsafeBufferPointer<UInt8>, valueLimit: Int) {
    self.bytes = bytes
    valuesLeft = valueLimit
  }

  /// Reads one value with nothing but space around it.
  static func read(_ bytes: UnsafeBufferPointer<UInt8>, valueLimit: Int) throws(Problem) -> JSON {
    var reader = JSONReader(bytes, valueLimit: valueLimit)
    let value = try reader.value()
    guard reader.next() == nil else { throw .malformed }
    return value
  }

  // MARK: Values

  private mutating func value() throws(Problem) -> JSON {
    valuesLeft -= 1
    guard valuesLeft >= 0 else { throw .tooManyValues }
    switch next() {
    case UInt8(ascii: "{"): return .object(try nested { reader throws(Problem) in try reader.members() })
    case UInt8(ascii: "["): return .array(try nested { reader throws(Problem) in try reader.elements() })
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func nested<Content>(
    _ content: (inout JSONReader) throws(Problem) -> Content
  ) throws(Problem) -> Content {
    guard depth < JSON.depthLimit else { throw .tooDeep }
    depth += 1
    index += 1
    let content = try content(&self)
    depth -= 1
    return content
  }

  /// What is behind an opening brace, with the closing one. Of a key that comes twice the last counts.
  private mutating func members() throws(Problem) -> [String: JSON] {
    var members: [String: JSON] = [:]
    guard next() != UInt8(ascii: "}") else {
      index += 1
      return members
    }
    while true {
      guard next() == UInt8(ascii: "\"") else { throw .malformed }
      let key = try string()
      guard next() == UInt8(ascii: ":") else { throw .malformed }
      index += 1
      members[key] = try value()
      if try isLast(before: UInt8(ascii: "}")) { return members }
    }
  }

  /// What is behind an opening bracket, with the closing one.
  private mutating func elements() throws(Problem) -> [JSON] {
    var elements: [JSON] = []
    guard next() != UInt8(ascii: "]") else {
      index += 1
      return elements
    }
    while true {
      elements.append(try value())
      if try isLast(before: UInt8(ascii: "]")) { return elements }
    }
  }

  /// Passes the comma behind an element, or the closing bracket.
  private mutating func isLast(before close: UInt8) throws(Problem) -> Bool {
    let byte = next()
    guard byte == close || byte == UInt8(ascii: ",") else { throw .malformed }
    index += 1
    return byte == close
  }

  /// The first byte that is no space, which is not passed; nil at the end.
  private mutating func next() -> UInt8? {
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): index += 1
      case let byte: return byte
      }
    }
    return nil
  }

  private mutating func word(_ word: StaticString, _ value: JSON) throws(Problem) -> JSON {
    let end = index + word.utf8CodeUnitCount
    guard end <= bytes.count,
      bytes[index..<end].elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: end - index))
    else { throw .malformed }
    index = end
    return value
  }

  // MARK: Numbers

  /// `-`, digits without a leading zero, a fraction, an exponent. A whole number that no `Int64` holds is a `Double`.
  private mutating func number() throws(Problem) -> JSON {
    let start = index
    let isNegative = skip(UInt8(ascii: "-"))
    let digits = index
    let whole = skipDigits()
    guard !whole.isEmpty, whole.count == 1 || bytes[digits] != UInt8(ascii: "0") else { throw .malformed }
    var isWhole = true
    if skip(UInt8(ascii: ".")) {
      isWhole = false
      guard !skipDigits().isEmpty else { throw .malformed }
    }
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      isWhole = false
      if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
      guard !skipDigits().isEmpty else { throw .malformed }
    }
    if isWhole, let number = Self.integer(bytes[whole], isNegative: isNegative) { return .integer(number) }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    guard let number = Double(text), number.isFinite else { throw .malformed }
    return .double(number)
  }

  private static func integer(_ digits: Slice<UnsafeBufferPointer<UInt8>>, isNegative: Bool) -> Int64? {
    guard digits.count <= 19 else { return nil }
    var number: Int64 = 0
    for digit in digits {
      let (shifted, overflows) = number.multipliedReportingOverflow(by: 10)
      // Downwards, where there is one number more.
      let (sum, overflowsToo) = shifted.subtractingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
      guard !overflows, !overflowsToo else { return nil }
      number = sum
    }
    return isNegative ? number : number == .min ? nil : -number
  }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard index < bytes.count, bytes[index] == byte else { return false }
    index += 1
    return true
  }

  private mutating func skipDigits() -> Range<Int> {
    let start = index
    while index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) { index += 1 }
    return start..<index
  }

  // MARK: Strings

  /// The string that starts here, without its quotes.
  private mutating func string() throws(Problem) -> String {
    index += 1
    let start = index
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        index += 1
        return try Self.text(UnsafeBufferPointer(rebasing: bytes[start..<(index - 1)]))
      case UInt8(ascii: "\\"): return try escapedString(from: start)
      case 0..<0x20: throw .malformed
      default: index += 1
      }
    }
    throw .malformed
  }

  private static func text(_ bytes: UnsafeBufferPointer<UInt8>) throws(Problem) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed }
    return text
  }

  /// The rest of a string with escapes, whose content starts at `start`.
  private mutating func escapedString(from start: Int) throws(Problem) -> String {
    var content = Array(bytes[start..<index])
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "\""):
        index += 1
        guard let text = String(validating: content, as: UTF8.self) else { throw .malformed }
        return text
      case UInt8(ascii: "\\"): try escape(&content)
      case 0..<0x20: throw .malformed
      default:
        content.append(byte)
        index += 1
      }
    }
    throw .malformed
  }

  private mutating func escape(_ content: inout [UInt8]) throws(Problem) {
    guard index + 1 < bytes.count else { throw .malformed }
    switch bytes[index + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(bytes[index + 1])
    case UInt8(ascii: "b"): content.append(8)
    case UInt8(ascii: "f"): content.append(12)
    case UInt8(ascii: "n"): content.append(10)
    case UInt8(ascii: "r"): content.append(13)
    case UInt8(ascii: "t"): content.append(9)
    case UInt8(ascii: "u"): return try unicodeEscape(&content)
    default: throw .malformed
    }
    index += 2
  }

  /// What no text of GLib can hold, U+0000 and half a surrogate pair, becomes U+FFFD.
  private mutating func unicodeEscape(_ content: inout [UInt8]) throws(Problem) {
    guard let unit = codeUnit(at: index) else { throw .malformed }
    index += 6
    var scalar = Unicode.Scalar(unit)
    if UTF16.isLeadSurrogate(unit), let next = codeUnit(at: index), UTF16.isTrailSurrogate(next) {
      index += 6
      scalar = Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(next) - 0xDC00))
    }
    if scalar == "\0" { scalar = nil }
    content.append(contentsOf: UTF8.encode(scalar ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter)
  }

  /// What `\uXXXX` at `start` stands for; nil when there is no such thing.
  private func codeUnit(at start: Int) -> UInt16? {
    guard start + 6 <= bytes.count, bytes[start] == UInt8(ascii: "\\"), bytes[start + 1] == UInt8(ascii: "u") else {
      return nil
    }
    var unit: UInt16 = 0
    for byte in bytes[(start + 2)..<(start + 6)] {
      guard let digit = Unicode.Scalar(byte).hexDigit else { return nil }
      unit = unit << 4 | digit
    }
    return unit
  }
}

extension Unicode.Scalar {
  fileprivate var hexDigit: UInt16? {
    switch self {
    case "0"..."9": UInt16(value - 0x30)
    case "a"..."f": UInt16(value - 0x61 + 10)
    case "A"..."F": UInt16(value - 0x41 + 10)
    default: nil
    }
  }
}
