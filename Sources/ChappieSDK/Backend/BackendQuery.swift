// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// Asks the backend for a JSON document. Failures follow the same rules as in turns.
@GLibActor
struct BackendQuery {
  /// The longest wait for one answer. A query that times out is not retried, because its caller is waiting.
  private static let deadline = Duration.seconds(5)
  private static let sizeLimit = 4 << 20

  /// A document of the backend.
  struct Reply: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let json: ChappieJSONValue
    /// The account that the backend answered.
    let accountID: String?
  }

  let slot: CredentialSlot
  let backoff: ChappieRateLimitBackoffPolicy
  /// Whether the query is never retried, not even with another token. Optional documents are asked for like this.
  var asksOnce = false

  /// - Throws: ``CredentialError``, ``ChappieClientError``, `CancellationError`; also ``ExchangeFailure`` if
  ///   ``asksOnce``.
  func get(_ url: String, _ first: AccessGrant) async throws -> Reply {
    var retries = Retries(transport: .httpSSEOnly, backoff: backoff)
    var grant = first
    defer { MemoryHardening.wipeStack() }
    while true {
      // A list of models is for all callers of the slot.
      if !asksOnce { try BackendLine.admitRequest() }
      do {
        return try await exchange(url, grant)
      } catch let failure as ExchangeFailure {
        if asksOnce { throw failure }
        switch retries.decide(failure, over: .http, hasDelivered: false) {
        case .again(let seconds): try await sleep(for: .seconds(seconds))
        case .withAnotherToken: grant = try await slot.accessGrant(insteadOf: grant)
        case .fail(let error): throw error
        case .overHTTP, .withoutCompression, .withAnotherModel, .withPlainInput: throw failure.error
        }
      }
    }
  }

  private func exchange(_ url: String, _ grant: AccessGrant) async throws -> Reply {
    var request = HTTPRequest(.get, url, for: grant)
    request.setHeader("accept", "application/json")
    do {
      return try await withDeadline(Self.deadline) { [request] in
        let response = try await BackendLine.http.sendLogged(request, deadline: nil)
        guard (200..<300).contains(response.status) else {
          throw await ExchangeFailure(response, from: url)
        }
        let body = try await response.bytes(limit: Self.sizeLimit, deadline: Self.deadline)
        guard let json = await offActor({ try? ChappieJSONValue(parsing: body.span) }) else {
          throw ExchangeFailure.final(.httpError(response.status, "The backend's answer is no JSON."))
        }
        return Reply(
          status: response.status, headers: response.headers, json: json, accountID: grant.accountID)
      }
    } catch let error as GLibError {
      throw error.isTimeout
        ? ExchangeFailure.final(.network(en("the backend does not answer")))
        : ExchangeFailure(connecting: error) ?? .unavailable(.network(error.message), retryAfter: nil)
    }
  }
}
