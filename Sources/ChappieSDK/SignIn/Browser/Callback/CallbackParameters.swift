// SPDX-License-Identifier: Apache-2.0
import SecretMemory

/// The parameters with which the sign-in page sends the browser back.
struct CallbackParameters {
  enum Fault: Error, CaseIterable {
    /// A percent sign without two hexadecimal digits, or another byte that no address holds.
    case unreadable
    /// A known parameter is there twice.
    case repeated
    /// A value is empty, too long, or has characters that it cannot have.
    case outOfRange
    /// `state` is missing or is that of another attempt.
    case foreign
    /// `iss` names another server.
    case otherIssuer
    /// There is neither a code nor an error, or both.
    case ambiguous
  }

  private enum Name: String {
    case code, state, error
    case clientID = "client_id"
    case issuer = "iss"
  }

  /// The most bytes of a code, which are printable ASCII characters.
  private static let codeLimit = 4 << 10
  /// The most bytes of a client id.
  private static let clientIDLimit = 256

  private let values: [Name: SecretBytes]

  /// Reads the part of an address after its question mark. Unknown parameters are ignored.
  init(_ query: SecretBytes, from start: Int) throws(Fault) {
    values = try query.withSpan { Self.read($0, from: start) }.get()
  }

  /// What the page answered to the attempt of `state`.
  func callback(state: SecretBytes, issuer: String) throws(Fault) -> Callback {
    guard let given = values[.state], given.isEqual(to: state) else { throw .foreign }
    if let named = values[.issuer], Self.text(named) != issuer { throw .otherIssuer }
    switch (values[.code], values[.error]) {
    case (let code?, nil):
      guard (1...Self.codeLimit).contains(code.count),
        code.withBytes({ $0.allSatisfy { (0x20...0x7E).contains($0) } })
      else { throw .outOfRange }
      return .code(code, clientID: try values[.clientID].map(Self.clientID))
    case (nil, let error?): return .refused(code: try Self.token(error))
    case (nil, nil), (.some, .some): throw .ambiguous
    }
  }

  private static func text(_ value: SecretBytes) -> String {
    value.withBytes { String(decoding: $0, as: UTF8.self) }
  }

  private static func clientID(_ value: SecretBytes) throws(Fault) -> String {
    let text = text(value)
    guard (1...clientIDLimit).contains(value.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .outOfRange
    }
    return text
  }

  private static func token(_ value: SecretBytes) throws(Fault) -> String {
    let text = text(value)
    guard (1...64).contains(value.count), text.utf8.allSatisfy(isOfToken) else { throw .outOfRange }
    return text
  }

  private static func isOfToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  // MARK: Form encoding

  private static func read(_ text: Span<UInt8>, from start: Int) -> Result<[Name: SecretBytes], Fault> {
    var values: [Name: SecretBytes] = [:]
    var start = start
    while start < text.count {
      let end = offset(of: UInt8(ascii: "&"), in: text, start..<text.count)
      let middle = offset(of: UInt8(ascii: "="), in: text, start..<end)
      let value = min(middle + 1, end)..<end
      guard let name = name(text, start..<middle), let count = decodedCount(text, value) else {
        return .failure(.unreadable)
      }
      if let known = Name(rawValue: name) {
        guard values[known] == nil else { return .failure(.repeated) }
        values[known] = decoded(text, value, count: count)
      }
      start = end + 1
    }
    return .success(values)
  }

  private static func offset(of byte: UInt8, in text: Span<UInt8>, _ range: Range<Int>) -> Int {
    for offset in range where text[offset] == byte { return offset }
    return range.upperBound
  }

  private static func name(_ text: Span<UInt8>, _ range: Range<Int>) -> String? {
    var name: [UInt8] = []
    var offset = range.lowerBound
    while offset < range.upperBound {
      guard let byte = unit(text, &offset, range.upperBound) else { return nil }
      name.append(byte)
    }
    return String(decoding: name, as: UTF8.self)
  }

  /// The number of bytes that a value stands for; nil when its encoding is broken.
  private static func decodedCount(_ text: Span<UInt8>, _ range: Range<Int>) -> Int? {
    var (offset, count) = (range.lowerBound, 0)
    while offset < range.upperBound {
      guard unit(text, &offset, range.upperBound) != nil else { return nil }
      count += 1
    }
    return count
  }

  private static func decoded(_ text: Span<UInt8>, _ range: Range<Int>, count: Int) -> SecretBytes {
    SecretBytes(count: count) { value in
      var offset = range.lowerBound
      for index in 0..<count {
        guard let byte = unit(text, &offset, range.upperBound) else { return }
        value.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
      }
    }
  }

  /// The next byte, and moves `offset` behind it; nil when no address can hold it.
  private static func unit(_ text: Span<UInt8>, _ offset: inout Int, _ end: Int) -> UInt8? {
    let byte = text[offset]
    offset += 1
    switch byte {
    case UInt8(ascii: "+"): return 32
    case UInt8(ascii: "%"):
      guard offset + 2 <= end, let high = digit(text[offset]), let low = digit(text[offset + 1]) else { return nil }
      offset += 2
      return high << 4 | low
    case 0x21...0x7E where byte != UInt8(ascii: "#"): return byte
    default: return nil
    }
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
  }
}
