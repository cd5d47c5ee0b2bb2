import GLibBridge
import SecretMemory

/// Requests to the issuer. Answers may hold tokens, so they are read into guarded memory.
@GLibActor
final class AuthHTTP {
  struct Answer {
    let status: Int
    let body: SecretBytes

    var isSuccess: Bool { (200..<300).contains(status) }

    /// The server's word for what went wrong: `error.code`, `error` or `code`.
    var errorCode: String? {
      body.withSpan { json in
        if let error = JSONScanner.value(of: "error", in: json) {
          if let content = JSONScanner.stringContent(json, error) { return JSONText.decode(json, content) }
          return CredentialCoding.text("code", json.extracting(error))
        }
        return CredentialCoding.text("code", json)
      }
    }

    /// What the server says in words, cut short and without anything that could be a token.
    var errorMessage: String {
      body.withSpan { json in
        let error = JSONScanner.value(of: "error", in: json)
        let message =
          CredentialCoding.text("error_description", json)
          ?? error.flatMap { CredentialCoding.text("message", json.extracting($0)) }
          ?? errorCode ?? ""
        return Redaction.message(message)
      }
    }
  }

  private static let deadline = Duration.seconds(30)
  private static let answerLimit = 1 << 20

  private let session = HTTPSession(userAgent: "chappie/\(ChappieVersion.current)", maxConnections: 8)

  /// - Throws: ``ChappieAuthError/network(_:)``, `CancellationError`.
  func post(_ url: String, json: JSON) async throws -> Answer {
    try await post(url, .bytes(json.encoded), "application/json")
  }

  func post(_ url: String, secretJSON: SecretBytes) async throws -> Answer {
    try await post(url, .secret(secretJSON), "application/json")
  }

  func post(_ url: String, form: SecretBytes) async throws -> Answer {
    try await post(url, .secret(form), "application/x-www-form-urlencoded")
  }

  private func post(_ url: String, _ body: HTTPRequest.Body, _ contentType: String) async throws -> Answer {
    var request = HTTPRequest(.post, url)
    request.body = body
    request.contentType = contentType
    request.setHeader("accept", "*/*")
    request.setHeader("originator", "chappie")
    do {
      let response = try await session.send(request, deadline: Self.deadline)
      let body = try await response.secret(limit: Self.answerLimit, deadline: Self.deadline)
      return Answer(status: response.status, body: body)
    } catch let error as GLibError {
      throw ChappieAuthError.network(error.message)
    }
  }
}
