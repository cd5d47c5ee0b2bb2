// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory

/// Encodes a credential as one line of ASCII: a JSON object. No token becomes a string on the way in or out.
enum CredentialCoding {
  /// - Throws: ``ChappieAuthError/invalidResponse(_:)`` for a token that is not printable ASCII.
  static func encode(_ credential: Credential) throws -> SecretBytes {
    let (refusal, grant, reading) = (credential.refusedAt, credential.registration, credential.issuerReading)
    let reason = reason(credential.refusal)
    let members: [String: ChappieJSONValue?] = [
      "version": .integer(2), "method": .string(credential.method), "renewed_at": number(credential.renewedAt),
      "issuer": .string(credential.servers.issuer), "backend": .string(credential.servers.backend),
      "refused_boot": text(refusal?.bootID), "refused_uptime": number(refusal),
      "refusal_status": reason.status.map { .integer(Int64($0)) }, "refusal_reason": text(reason.text),
      "redeemed_at": number(credential.redeemedAt), "client_id": text(grant?.clientID),
      "subject": text(grant?.subject), "scope": text(grant?.scopes.joined(separator: " ")),
      "expires_at": number(grant?.expiresAt), "earliest_refresh_at": number(grant?.earliestRefresh),
      "issuer_time": number(reading?.issuer), "issuer_wall": number(reading?.local.wall),
      "issuer_boot": text(reading?.local.boot.bootID), "issuer_uptime": number(reading?.local.boot),
    ]
    return try SecretLine.json(
      members.compactMapValues(\.self),
      [
        "access_token": credential.accessToken, "refresh_token": credential.refreshToken,
        "id_token": credential.idToken,
      ])
  }

  private static func text(_ text: String?) -> ChappieJSONValue? { text.map { .string($0) } }
  private static func number(_ time: Timestamp?) -> ChappieJSONValue? { time.map { .integer($0.unixSeconds) } }
  private static func number(_ time: BootTime?) -> ChappieJSONValue? { time.map { .integer($0.seconds) } }

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
      credential.refusal = refusal(json)
      credential.registration = registration(json)
      // A mark stays one without its time.
      if text("redeemed_at", json) != nil { credential.redeemedAt = time("redeemed_at", json) ?? .distantPast }
      return credential
    }
  }

  /// The text that stands for ``ChappieAuthError/missingRefreshToken``.
  private static let missingRefreshToken = "it has no refresh token"

  /// The status and the text from which ``refusal(_:)`` makes the error again.
  private static func reason(_ refusal: ChappieAuthError?) -> (status: Int?, text: String?) {
    switch refusal {
    case .tokenExchangeFailed(let status, let message): (status, message)
    case .ended(let reason): (nil, reason)
    case .missingRefreshToken: (nil, missingRefreshToken)
    default: (nil, nil)
    }
  }

  private static func refusal(_ json: borrowing Span<UInt8>) -> ChappieAuthError? {
    guard let reason = text("refusal_reason", json) else { return nil }
    if let status = text("refusal_status", json).flatMap({ Count(text: $0) }) {
      return .tokenExchangeFailed(status: status.value, message: reason)
    }
    return reason == missingRefreshToken ? .missingRefreshToken : .ended(reason)
  }

  private static func registration(_ json: borrowing Span<UInt8>) -> RegisteredGrant? {
    guard let clientID = text("client_id", json), let subject = text("subject", json),
      let scope = text("scope", json)
    else { return nil }
    return RegisteredGrant(
      clientID: clientID, subject: subject, scopes: scope.split(separator: " ").map(String.init),
      expiresAt: time("expires_at", json) ?? .distantPast, earliestRefresh: time("earliest_refresh_at", json))
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

extension Credential: KeyringSecret {
  package static let schema = "org.chappie.Credential"
  package static let reasons = (
    otherDevice: "The stored sign-in was made on another device, or the key of this device is gone: sign in again.",
    damaged: "The stored sign-in is damaged, or another version's: sign in again."
  )

  package static let title = "ChatGPT sign-in"
  package static let otherServers = "The stored sign-in is for other servers than the configured ones: sign in again."

  package var note: String { servers.fingerprint }

  package static func decode(_ bytes: SecretBytes) -> Credential? { CredentialCoding.decode(bytes) }
  package func encode() throws -> SecretBytes { try CredentialCoding.encode(self) }

  /// Whether this credential was refreshed no earlier than `other`.
  package func counts(before other: Credential) -> Bool { renewedAt >= other.renewedAt }
}

/// A credential that stays encrypted in memory between uses. Only this process has the key.
struct EncryptedCredential: Sendable {
  private static let key = AEAD.randomKey()

  private let sealed: [UInt8]

  /// - Throws: ``ChappieAuthError/invalidResponse(_:)`` for a token that cannot be stored.
  init(_ credential: Credential) throws {
    sealed = AEAD.seal(try CredentialCoding.encode(credential), key: Self.key, context: [])
  }

  /// Decrypts the credential. Each use decrypts it again.
  var credential: Credential {
    guard let line = AEAD.open(sealed, key: Self.key, context: []),
      let credential = CredentialCoding.decode(line)
    else { preconditionFailure("what this process has sealed does not open") }
    return credential
  }
}
