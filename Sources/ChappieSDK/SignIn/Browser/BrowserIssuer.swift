import GLibBridge
import SecretMemory
import Signatures

/// An issuer of sign-ins in the browser: its addresses and its keys, which are asked for when they are needed.
@GLibActor
final class BrowserIssuer {
  /// The time after which the description is read again.
  private static let lifetime = Duration.seconds(3600)
  /// The pause between two requests for the keys. A token with an unknown key costs one request in it.
  private static let pause = Duration.seconds(30)

  nonisolated let issuer: String
  private let http: AuthHTTP
  private var endpoints: (value: IssuerEndpoints, until: ContinuousClock.Instant)?
  private var keys: (value: IssuerKeys, asked: ContinuousClock.Instant)?

  init(_ issuer: String, http: AuthHTTP) {
    self.issuer = issuer
    self.http = http
  }

  /// - Throws: ``ChappieAuthError``, `CancellationError`.
  func addresses() async throws -> IssuerEndpoints {
    if let endpoints, .now < endpoints.until { return endpoints.value }
    let document = try await document("\(issuer)/.well-known/openid-configuration")
    let value = try IssuerEndpoints(document, issuer: issuer)
    endpoints = (value, .now + Self.lifetime)
    return value
  }

  /// The key with an id. Nil when the issuer has none.
  ///
  /// - Throws: ``ChappieAuthError``, `CancellationError`.
  func key(_ id: String) async throws -> RSAPublicKey? {
    if let keys {
      if let key = keys.value[id] { return key }
      // The issuer may have a new key since then.
      guard keys.asked + Self.pause <= .now else { return nil }
    }
    let fresh = IssuerKeys(try await document(try await addresses().keys))
    keys = (fresh, .now)
    return fresh[id]
  }

  private func document(_ address: String) async throws -> ChappieJSONValue {
    let answer = try await http.get(address)
    guard answer.isSuccess else {
      throw ChappieAuthError.network("its description is not available now (status \(answer.status))")
    }
    guard let json = answer.body.withSpan({ try? ChappieJSONValue(parsing: $0) }) else {
      throw ChappieAuthError.invalidResponse("its description is no JSON")
    }
    return json
  }
}
