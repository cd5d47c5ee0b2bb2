// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Asks the servers of a backend for any answer, without a credential, to find out whether they can be reached.
@GLibActor
package enum ServerCheck {
  package enum Server: String, Sendable {
    case issuer
    case backend
    /// The public API, which answers sign-ins in the browser.
    case api
  }

  package enum Outcome: Sendable {
    /// Any HTTP status is an answer. `time` is the server's clock in Unix seconds; nil when it does not tell.
    case answered(status: Int, time: Int64?)
    /// The certificate is not trusted, and the reason.
    case untrusted(String)
    /// The server was not reached, and the reason.
    case unreachable(String)
  }

  package struct Answer: Sendable {
    package let server: Server
    package let host: String
    package let outcome: Outcome
  }

  private static let deadline = Duration.seconds(8)

  /// Asks the servers at once.
  ///
  /// - Parameter asksAPI: whether the public API is asked too.
  package static func run(_ backend: ChappieBackend, asksAPI: Bool) async -> [Answer] {
    var addresses: [(Server, String)] = [
      (.issuer, backend.issuer + "/.well-known/openid-configuration"),
      (.backend, backend.baseURL + "/codex/models?client_version=\(ProtocolVersion.current)"),
    ]
    if asksAPI { addresses.append((.api, backend.apiURL + "/models")) }
    let tasks = addresses.map { server, url in Task.onGLib { await ask(server, url) } }
    var answers: [Answer] = []
    for task in tasks { answers.append(await task.value) }
    return answers
  }

  private static func ask(_ server: Server, _ url: String) async -> Answer {
    var request = HTTPRequest(.get, url)
    request.setHeader("originator", "chappie")
    let outcome: Outcome
    do {
      let response = try await withDeadline(deadline) { [request] in
        try await BackendLine.http.sendLogged(request, deadline: deadline)
      }
      let time = response.headers["date"].flatMap(HTTPDate.unixSeconds)
      outcome = .answered(status: response.status, time: time)
    } catch let error as GLibError {
      outcome =
        error.isUntrustedCertificate
        ? .untrusted(error.message) : .unreachable(error.isTimeout ? "it does not answer" : error.message)
    } catch {
      outcome = .unreachable("\(error)")
    }
    return Answer(server: server, host: ParsedURL(url)?.host ?? "", outcome: outcome)
  }
}
