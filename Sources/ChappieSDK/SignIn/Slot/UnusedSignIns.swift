// SPDX-License-Identifier: Apache-2.0
import SecretMemory

/// The sign-ins of a slot that the server is to end: those that were issued and not stored, or replaced by another.
package struct UnusedSignIns: Sendable {
  /// Far more than a user's sign-ins leave in a month.
  private static let limit = 16

  private(set) var credentials: [Credential] = []

  init(_ credentials: [Credential] = []) {
    for credential in credentials { _ = add(credential) }
  }

  /// The ID tokens stay behind: no revocation needs one.
  ///
  /// - Returns: whether it was not there.
  mutating func add(_ credential: Credential) -> Bool {
    guard !credentials.contains(where: credential.sharesToken) else { return false }
    var credential = credential
    credential.idToken = nil
    if credentials.count >= Self.limit { credentials.removeFirst() }
    credentials.append(credential)
    return true
  }

  /// - Returns: whether it was there.
  mutating func remove(_ credential: Credential) -> Bool {
    let count = credentials.count
    credentials.removeAll(where: credential.sharesToken)
    return credentials.count < count
  }
}

extension UnusedSignIns: KeyringSecret {
  package static let schema = "org.chappie.UnusedSignIns"
  package static let reasons = (
    otherDevice: "The list of sign-ins to end was made on another device.",
    damaged: "The list of sign-ins to end is damaged, or another version's."
  )

  package static func label(of slot: SlotIdentity) -> String {
    "ChatGPT sign-ins to end (\(slot.ownerName), \(slot.account))"
  }

  /// One line for each credential.
  package static func decode(_ bytes: SecretBytes) -> UnusedSignIns? {
    var list = UnusedSignIns()
    var start = 0
    let lines = bytes.withSpan { text in
      var lines: [SecretBytes] = []
      for index in text.indices where text[index] == UInt8(ascii: "\n") {
        lines.append(SecretBytes(copying: text, start..<index))
        start = index + 1
      }
      return lines
    }
    for line in lines {
      guard let credential = CredentialCoding.decode(line) else { return nil }
      list.credentials.append(credential)
    }
    return list
  }

  package func encode() throws -> SecretBytes {
    var text = SecretLine()
    for credential in credentials {
      text.append(try CredentialCoding.encode(credential))
      text.append("\n")
    }
    return text.joined()
  }

  package func counts(before other: UnusedSignIns) -> Bool { credentials.count >= other.credentials.count }
}
