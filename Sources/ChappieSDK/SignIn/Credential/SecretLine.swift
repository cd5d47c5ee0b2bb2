// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import SecretMemory

/// Plain text and secrets as one secret.
enum SecretLine {
  static func joined(_ parts: [SecretBytes]) -> SecretBytes {
    SecretBytes(count: parts.reduce(0) { $0 + $1.count }) { span in
      var offset = 0
      for part in parts { offset = span.write(part, at: offset) }
    }
  }

  /// A JSON object in one line of ASCII, of one or more plain members and of tokens. A token that is nil is left out.
  ///
  /// - Throws: ``ChappieAuthError/invalidResponse(_:)`` for a token that needs JSON escapes.
  static func json(
    _ members: [String: ChappieJSONValue], _ tokens: KeyValuePairs<String, SecretBytes?>
  ) throws(ChappieAuthError) -> SecretBytes {
    var parts = [SecretBytes(ChappieJSONValue.object(members).json.dropLast().utf8)]
    for (key, token) in tokens {
      guard let token else { continue }
      guard token.withBytes({ $0.allSatisfy(CredentialCoding.isTokenByte) }) else {
        throw .invalidResponse("a token has characters that no token has")
      }
      parts += [SecretBytes(",\"\(key)\":\"".utf8), token, SecretBytes("\"".utf8)]
    }
    return joined(parts + [SecretBytes("}".utf8)])
  }

  /// Fields in the form `application/x-www-form-urlencoded`: one or more plain ones, then secrets.
  static func form(
    _ fields: KeyValuePairs<String, String>, _ secrets: KeyValuePairs<String, SecretBytes>
  ) -> SecretBytes {
    let plain = SecretBytes(FormCoding.query(fields.map { ($0, $1) }).utf8)
    return joined([plain] + secrets.flatMap { [SecretBytes("&\($0)=".utf8), FormCoding.escape($1)] })
  }
}

/// `application/x-www-form-urlencoded`.
package enum FormCoding {
  static func query(_ fields: [(name: String, value: String)]) -> String {
    fields.map { "\($0.name)=\(escape($0.value))" }.joined(separator: "&")
  }

  package static func escape(_ text: String) -> String {
    String(decoding: text.utf8.flatMap(escape), as: UTF8.self)
  }

  static func escape(_ secret: SecretBytes) -> SecretBytes {
    secret.withBytes { SecretBytes($0.flatMap(escape)) }
  }

  private static func escape(_ byte: UInt8) -> [UInt8] {
    if byte.isAlphanumeric || "-._~".utf8.contains(byte) { return [byte] }
    let digits = String(byte, radix: 16, uppercase: true)
    return Array((digits.utf8.count == 1 ? "%0" : "%").utf8) + digits.utf8
  }
}
