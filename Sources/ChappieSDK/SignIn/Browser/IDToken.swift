// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory
import Signatures

/// The verified identity of a user (OpenID Connect Core, section 3.1.3.7).
struct IDToken: Sendable {
  /// The tolerance for clocks that differ, in seconds.
  static let skew: Int64 = 5
  /// The longest name of a user, in bytes.
  private static let subjectLimit = 255

  /// The issuer's name of the user for this client.
  let subject: String

  /// Verifies the signature and the claims of `token`.
  ///
  /// - Parameters:
  ///   - clientID: the client that the token must be for.
  ///   - nonce: the one of the attempt. Nil for a token of a refresh, which has none. Its times are not checked either,
  ///     since it has just been received, and a clock that is wrong must not end a sign-in. Nor do keys that are not at
  ///     hand: nobody waits for them before the tokens are stored (OpenID Connect Core, section 3.1.3.7, item 6).
  ///   - now: the time; nil for that of the issuer.
  /// - Throws: ``ChappieAuthError/identityNotVerified(_:)`` for a token that proves nothing;
  ///   ``ChappieAuthError/network(_:)`` when the issuer's keys are not available; `CancellationError`.
  init(
    verifying token: SecretBytes, of issuer: BrowserIssuer, clientID: String, nonce: String?,
    now: Timestamp? = nil
  ) async throws {
    let bytes = token.withBytes { Array($0) }
    // The parts of a signed JSON Web Token (RFC 7515, section 7.1).
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
      let signature = Base64URL.decode(parts[2]), let head = try? ChappieJSONValue(parsing: header.span),
      let claims = try? ChappieJSONValue(parsing: payload.span), case .object = claims
    else { throw ChappieAuthError.identityNotVerified("it is no signed token") }
    guard head["alg"]?.stringValue == "RS256", let keyID = head["kid"]?.stringValue else {
      throw ChappieAuthError.identityNotVerified("it is signed in another way than RS256")
    }
    let key = nonce == nil ? await issuer.keyAtHand(keyID) : try await issuer.key(keyID)
    switch key?.verdict(on: signature, of: Array(bytes[..<(parts[2].startIndex - 1)])) {
    case .right: break
    case .wrong: throw ChappieAuthError.identityNotVerified("its signature is wrong")
    case .unchecked, nil:
      guard nonce == nil else {
        throw ChappieAuthError.identityNotVerified(
          key == nil
            ? "the issuer does not know the key that signed it"
            : "the library GnuTLS, which checks it, is missing here")
      }
      Log.notice("The signature of a renewal cannot be checked now, so only its connection proves who sent it.")
    }
    let time = await issuer.http.clock.time().earliest
    subject = try Self.subject(
      checking: claims, issuer: issuer.issuer, clientID: clientID, nonce: nonce, now: now ?? time)
  }

  private static func subject(
    checking claims: ChappieJSONValue, issuer: String, clientID: String, nonce: String?, now: Timestamp
  ) throws(ChappieAuthError) -> String {
    guard claims["iss"]?.stringValue == issuer else { throw .identityNotVerified("it is of another issuer") }
    let audiences =
      claims["aud"]?.stringValue.map { [$0] } ?? claims["aud"]?.arrayValue?.compactMap(\.stringValue) ?? []
    let party = claims["azp"]?.stringValue
    guard audiences.contains(clientID), party == clientID || party == nil && audiences.count == 1 else {
      throw .identityNotVerified("it is for another application")
    }
    if let nonce {
      guard let expiry = claims["exp"]?.numberValue.flatMap({ Timestamp($0) }),
        let issued = claims["iat"]?.numberValue.flatMap({ Timestamp($0) }), now < expiry + skew, issued <= now + skew
      else { throw .identityNotVerified("it is not valid now: look whether the clock of this machine is right") }
      guard let own = claims["nonce"]?.stringValue, SecretBytes(own.utf8).isEqual(to: SecretBytes(nonce.utf8)) else {
        throw .identityNotVerified("it belongs to another attempt")
      }
    }
    guard let subject = claims["sub"]?.stringValue, (1...subjectLimit).contains(subject.utf8.count) else {
      throw .identityNotVerified("it names no user")
    }
    return subject
  }
}
