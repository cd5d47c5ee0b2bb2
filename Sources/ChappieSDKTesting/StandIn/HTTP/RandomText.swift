// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Makes identifiers and secrets for the stand-in.
enum RandomText {
  /// A text in every secret of the stand-in. Tests search files, logs and the bus for it to find leaks.
  static let marker = "SANDBOXSECRET"

  /// Makes `bytes` random bytes, in hexadecimal.
  static func hex(bytes: Int) -> String {
    String((0..<bytes * 2).compactMap { _ in "0123456789abcdef".randomElement() })
  }

  /// Makes a secret of base64url characters that holds the marker.
  static func secret() -> String {
    // 33 bytes make the whole text valid base64url, as the signature of a JWT must be.
    marker + "-" + Base64URL.encode((0..<33).map { _ in UInt8.random(in: 0...255) })
  }

  /// Makes a user code such as `ABCD-12345`, without letters that resemble digits.
  static func userCode() -> String {
    let letters = (0..<4).compactMap { _ in "ABCDEFGHJKLMNPQRSTUVWXYZ".randomElement() }
    let digits = (0..<5).compactMap { _ in "0123456789".randomElement() }
    return String(letters) + "-" + String(digits)
  }
}
