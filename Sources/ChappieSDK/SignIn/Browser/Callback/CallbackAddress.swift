// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import SecretMemory

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

  /// Whether a request target is ``donePath`` without a query.
  static func isDone(_ target: SecretBytes) -> Bool {
    target.withBytes { $0.elementsEqual(donePath.utf8) }
  }

  /// The parameters of a request target; nil for another path.
  static func parameters(ofTarget target: SecretBytes) throws(CallbackParameters.Fault) -> CallbackParameters? {
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
    guard text.utf8.count <= Self.pastedLimit else { throw .invalidAddress("the address is too long") }
    var rest = text.utf8[...]
    while let first = rest.first, Self.isSpace(first) { rest.removeFirst() }
    while let last = rest.last, Self.isSpace(last) { rest.removeLast() }
    guard rest.starts(with: "http://".utf8) else {
      throw .invalidAddress("copy the whole address from the browser, which begins with http://\(host)")
    }
    rest = rest.dropFirst("http://".utf8.count)
    let authority = rest.prefix { !"/?#".utf8.contains($0) }
    guard authority.elementsEqual(host.utf8) else {
      throw .invalidAddress(
        "the address belongs to another computer, program or sign-in: that of this sign-in begins with http://\(host)")
    }
    let target = rest.dropFirst(authority.count).prefix { $0 != UInt8(ascii: "#") }
    do {
      if let parameters = try Self.parameters(ofTarget: SecretBytes(target)) { return parameters }
    } catch {
      throw error.asAuthError
    }
    throw .invalidAddress("the address is not that of the sign-in's end: its path is not \(Self.path)")
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
}

extension CallbackParameters.Fault {
  /// The error for an address that a user pasted.
  var asAuthError: ChappieAuthError {
    switch self {
    case .unreadable: .invalidAddress("the address is damaged: copy all of it again")
    case .repeated: .invalidAddress("the address has one of its parameters twice")
    case .outOfRange: .invalidAddress("the address has a parameter that is empty, too long or malformed")
    case .foreign: .invalidAddress("the address belongs to another sign-in: copy the one of this sign-in")
    case .otherIssuer: .invalidAddress("the address comes from another server than the one that was asked")
    case .ambiguous: .invalidAddress("the address has neither a code nor an error, or both")
    }
  }
}
