// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory

/// The parameters with which the sign-in page sends the browser back.
struct CallbackParameters {
  private enum Name: String {
    case code, state, error
    case clientID = "client_id"
    case issuer = "iss"
  }

  /// The most bytes of a code, which are printable ASCII characters.
  private static let codeLimit = 4 << 10
  /// The most bytes of a client id.
  private static let clientIDLimit = 256

  private static let outOfRange = ChappieAuthError.invalidAddress(
    en("the address has a parameter that is empty, too long or malformed"))

  private let values: [Name: SecretBytes]

  /// Reads the part of an address after its question mark. Unknown parameters are ignored.
  ///
  /// - Throws: ``ChappieAuthError/invalidAddress(_:)``, which tells the user who pasted an address what is wrong.
  init(_ query: SecretBytes, from start: Int) throws(ChappieAuthError) {
    values = try query.withBytes { Self.read($0.dropFirst(start)) }.get()
  }

  /// What the page answered to the attempt of `state`.
  ///
  /// - Throws: ``ChappieAuthError/invalidAddress(_:)``.
  func callback(state: SecretBytes, issuer: String) throws(ChappieAuthError) -> Callback {
    guard let given = values[.state], given.isEqual(to: state) else {
      throw .invalidAddress(en("the address belongs to another sign-in: copy the one of this sign-in"))
    }
    if let named = values[.issuer], Self.text(named) != issuer {
      throw .invalidAddress(en("the address comes from another server than the one that was asked"))
    }
    switch (values[.code], values[.error]) {
    case (let code?, nil):
      guard Self.isMade(code, of: 0x20...0x7E, atMost: Self.codeLimit) else { throw Self.outOfRange }
      let clientID = values[.clientID]
      if let clientID, !Self.isMade(clientID, of: 0x21...0x7E, atMost: Self.clientIDLimit) { throw Self.outOfRange }
      return .code(code, clientID: clientID.map(Self.text))
    case (nil, let error?):
      let reason = Self.text(error)
      guard (1...64).contains(error.count), reason.utf8.allSatisfy({ $0.isAlphanumeric || "_-".utf8.contains($0) })
      else { throw Self.outOfRange }
      return .refused(code: reason)
    case (nil, nil), (.some, .some):
      throw .invalidAddress(en("the address has neither a code nor an error, or both"))
    }
  }

  private static func isMade(_ value: SecretBytes, of bytes: ClosedRange<UInt8>, atMost limit: Int) -> Bool {
    (1...limit).contains(value.count) && value.withBytes { $0.allSatisfy(bytes.contains) }
  }

  private static func text(_ value: SecretBytes) -> String {
    value.withBytes { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: Form encoding

  private static func read<Text: Collection<UInt8>>(_ text: Text) -> Result<[Name: SecretBytes], ChappieAuthError>
  where Text.SubSequence == Text {
    var values: [Name: SecretBytes] = [:]
    for field in text.split(separator: UInt8(ascii: "&")) {
      let key = field.prefix { $0 != UInt8(ascii: "=") }
      let value = field.dropFirst(key.count + 1)
      var name: [UInt8] = []
      guard length(key, { name.append($0) }) != nil, let count = length(value, { _ in }) else {
        // A percent sign without two hexadecimal digits, or another byte that no address holds.
        return .failure(.invalidAddress(en("the address is damaged: copy all of it again")))
      }
      // Only what is wanted gets guarded memory, which takes long to make: anybody can send thousands of fields.
      guard let known = Name(rawValue: String(decoding: name, as: UTF8.self)) else { continue }
      guard values[known] == nil else {
        return .failure(.invalidAddress(en("the address has one of its parameters twice")))
      }
      values[known] = SecretBytes(count: count) { bytes in
        var index = 0
        _ = length(value) { byte in
          bytes.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
          index += 1
        }
      }
    }
    return .success(values)
  }

  /// Passes on the bytes that a name or value stands for, one by one. The number of them; nil when its encoding is
  /// broken.
  private static func length<Text: Collection<UInt8>>(_ text: Text, _ take: (UInt8) -> Void) -> Int?
  where Text.SubSequence == Text {
    var (rest, count) = (text, 0)
    while !rest.isEmpty {
      guard let byte = unit(&rest) else { return nil }
      take(byte)
      count += 1
    }
    return count
  }

  /// Takes the next byte; nil when no address can hold it.
  private static func unit<Text: Collection<UInt8>>(_ rest: inout Text) -> UInt8? where Text.SubSequence == Text {
    switch rest.popFirst() {
    case UInt8(ascii: "+"): return 32
    case UInt8(ascii: "%"):
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
      return high << 4 | low
    case let byte? where (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "#"): return byte
    default: return nil
    }
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
  }
}

/// The address to which the sign-in page sends the browser back: `http://127.0.0.1:PORT/auth/callback`.
struct CallbackAddress {
  /// The path, which registrations are bound to: it never changes.
  static let path = "/auth/callback"
  /// The path to which the browser goes on from there. This address, without a code, stays in its address bar.
  static let donePath = "/auth/done"
  /// The most bytes of a pasted address: a request cannot have more either.
  private static let pastedLimit = 16 << 10

  let port: UInt16

  /// The field `Host` of a request for this address.
  var host: String { "127.0.0.1:\(port)" }
  /// The address without parameters.
  var uri: String { "http://\(host)\(Self.path)" }

  /// The parameters of a request target; nil for another path.
  static func parameters(ofTarget target: SecretBytes) throws(ChappieAuthError) -> CallbackParameters? {
    let path = Array(path.utf8)
    guard target.count >= path.count,
      target.withBytes({ bytes in
        bytes.prefix(path.count).elementsEqual(path)
          && (bytes.count == path.count || bytes[path.count] == UInt8(ascii: "?"))
      })
    else { return nil }
    return try CallbackParameters(target, from: path.count + 1)
  }

  /// The parameters of an address that a user copied from the browser of another machine.
  ///
  /// - Throws: ``ChappieAuthError/invalidAddress(_:)``, which tells what is wrong and repeats nothing of the address.
  func parameters(ofPasted text: String) throws(ChappieAuthError) -> CallbackParameters {
    guard text.utf8.count <= Self.pastedLimit else { throw .invalidAddress(en("the address is too long")) }
    var rest = text.utf8[...]
    while let first = rest.first, Self.isSpace(first) { rest.removeFirst() }
    while let last = rest.last, Self.isSpace(last) { rest.removeLast() }
    guard rest.starts(with: "http://".utf8) else {
      throw .invalidAddress(en("copy the whole address from the browser, which begins with http://\(host)"))
    }
    rest = rest.dropFirst("http://".utf8.count)
    let authority = rest.prefix { !"/?#".utf8.contains($0) }
    guard authority.elementsEqual(host.utf8) else {
      throw .invalidAddress(
        en(
          "the address belongs to another computer, program or sign-in: that of this sign-in begins with http://\(host)"
        ))
    }
    let target = rest.dropFirst(authority.count).prefix { $0 != UInt8(ascii: "#") }
    if let parameters = try Self.parameters(ofTarget: SecretBytes(target)) { return parameters }
    throw .invalidAddress(en("the address is not that of the sign-in's end: its path is not \(Self.path)"))
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
}
