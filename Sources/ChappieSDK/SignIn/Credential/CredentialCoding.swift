// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory

/// Encodes a credential as one line of ASCII: a JSON object. No token becomes a string on the way in or out.
enum CredentialCoding {
  /// - Throws: ``ChappieAuthError/invalidResponse(_:)`` for a token that is not printable ASCII.
  static func encode(_ credential: Credential) throws -> SecretBytes {
    var line = SecretLine()
    line.append("{\"version\":2,\"method\":\"\(credential.method)\",\"renewed_at\":\(credential.renewedAt.unixSeconds)")
    line.append(",\"issuer\":\(quoted(credential.servers.issuer)),\"backend\":\(quoted(credential.servers.backend))")
    try line.append(token: credential.accessToken, key: "access_token")
    if let token = credential.refreshToken { try line.append(token: token, key: "refresh_token") }
    if let moment = credential.refusedAt {
      line.append(",\"refused_boot\":\"\(moment.bootID)\",\"refused_uptime\":\(moment.seconds)")
    }
    if let token = credential.idToken { try line.append(token: token, key: "id_token") }
    if let grant = credential.registration { line.append(encode(grant)) }
    if let time = credential.redeemedAt { line.append(",\"redeemed_at\":\(time.unixSeconds)") }
    if let reading = credential.issuerReading { line.append(encode(reading)) }
    line.append("}")
    return line.joined()
  }

  /// Returns nil when `bytes` hold no credential.
  static func decode(_ bytes: SecretBytes) -> Credential? {
    bytes.withSpan { json in
      guard let accessToken = string("access_token", json), let method = text("method", json),
        let issuer = text("issuer", json), let backend = text("backend", json)
      else { return nil }
      var credential = Credential(
        method: method, servers: CredentialServers(issuer: issuer, backend: backend), accessToken: accessToken,
        refreshToken: string("refresh_token", json),
        idToken: string("id_token", json), renewedAt: time("renewed_at", json) ?? .distantPast,
        issuerReading: reading(json))
      credential.refusedAt = bootTime("refused_boot", "refused_uptime", json)
      credential.registration = registration(json)
      // A mark stays one without its time.
      if text("redeemed_at", json) != nil { credential.redeemedAt = time("redeemed_at", json) ?? .distantPast }
      return credential
    }
  }

  private static func encode(_ grant: RegisteredGrant) -> String {
    var text = ",\"client_id\":\(quoted(grant.clientID)),\"subject\":\(quoted(grant.subject))"
    text += ",\"scope\":\(quoted(grant.scopes.joined(separator: " "))),\"expires_at\":\(grant.expiresAt.unixSeconds)"
    if let time = grant.earliestRefresh { text += ",\"earliest_refresh_at\":\(time.unixSeconds)" }
    return text
  }

  private static func registration(_ json: borrowing Span<UInt8>) -> RegisteredGrant? {
    guard let clientID = text("client_id", json), let subject = text("subject", json),
      let scope = text("scope", json)
    else { return nil }
    return RegisteredGrant(
      clientID: clientID, subject: subject, scopes: scope.split(separator: " ").map(String.init),
      expiresAt: time("expires_at", json) ?? .distantPast, earliestRefresh: time("earliest_refresh_at", json))
  }

  private static func encode(_ reading: IssuerReading) -> String {
    ",\"issuer_time\":\(reading.issuer.unixSeconds),\"issuer_wall\":\(reading.local.wall.unixSeconds)"
      + ",\"issuer_boot\":\"\(reading.local.boot.bootID)\",\"issuer_uptime\":\(reading.local.boot.seconds)"
  }

  private static func reading(_ json: borrowing Span<UInt8>) -> IssuerReading? {
    guard let issuer = time("issuer_time", json), let wall = time("issuer_wall", json),
      let boot = bootTime("issuer_boot", "issuer_uptime", json)
    else { return nil }
    return IssuerReading(issuer: issuer, local: ClockReading(wall: wall, boot: boot))
  }

  private static func time(_ key: StaticString, _ json: borrowing Span<UInt8>) -> Timestamp? {
    text(key, json).flatMap { Timestamp(text: $0) }
  }

  /// A damaged time counts as the start of its boot.
  private static func bootTime(
    _ bootID: StaticString, _ uptime: StaticString, _ json: borrowing Span<UInt8>
  ) -> BootTime? {
    guard let id = text(bootID, json) else { return nil }
    return BootTime(bootID: id, seconds: Int64((text(uptime, json).flatMap { Count(text: $0) } ?? 0).value))
  }

  private static func quoted(_ text: String) -> String {
    ChappieJSONValue.string(text).json
  }

  /// The longest token, in bytes: no server takes a longer header.
  private static let tokenLimit = 65_536

  /// The string member `key` as guarded bytes. Nil when it is missing, empty, too long, or contains escapes: no token
  /// has any.
  static func string(_ key: StaticString, _ json: borrowing Span<UInt8>) -> SecretBytes? {
    guard let value = JSONScanner.value(of: key, in: json), let content = JSONScanner.stringContent(json, value),
      (1...tokenLimit).contains(content.count)
    else { return nil }
    for index in content where !isTokenByte(json[index]) { return nil }
    return SecretBytes(copying: json, content)
  }

  /// The member `key` as text: a string's content or a number's digits. Nil for any other value. Not for secrets.
  static func text(_ key: StaticString, _ json: borrowing Span<UInt8>) -> String? {
    guard let value = JSONScanner.value(of: key, in: json) else { return nil }
    if let content = JSONScanner.stringContent(json, value) { return JSONText.decode(json, content) }
    let first = json[value.lowerBound]
    let isNumber = first == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
    return isNumber ? JSONText.decode(json, value) : nil
  }

  static func isTokenByte(_ byte: UInt8) -> Bool {
    (0x21...0x7E).contains(byte) && byte != .quote && byte != .backslash
  }
}

/// Concatenates plain text and secrets into one secret.
struct SecretLine {
  private enum Part {
    case plain(String)
    case secret(SecretBytes)

    var count: Int {
      switch self {
      case .plain(let text): text.utf8.count
      case .secret(let secret): secret.count
      }
    }
  }

  private var parts: [Part] = []

  mutating func append(_ text: String) {
    parts.append(.plain(text))
  }

  mutating func append(_ secret: SecretBytes) {
    parts.append(.secret(secret))
  }

  /// Appends `,"key":"token"`.
  ///
  /// - Throws: ``ChappieAuthError/invalidResponse(_:)`` for a token that needs JSON escapes.
  mutating func append(token: SecretBytes, key: String) throws {
    let isPlain = token.withSpan { token in
      for index in token.indices where !CredentialCoding.isTokenByte(token[index]) { return false }
      return true
    }
    guard isPlain else { throw ChappieAuthError.invalidResponse("a token has characters that no token has") }
    append(",\"\(key)\":\"")
    append(token)
    append("\"")
  }

  func joined() -> SecretBytes {
    SecretBytes(count: parts.reduce(0) { $0 + $1.count }) { span in
      var offset = 0
      for part in parts {
        switch part {
        case .plain(let text): offset = span.write(text.utf8, at: offset)
        case .secret(let secret): offset = span.write(secret, at: offset)
        }
      }
    }
  }
}
