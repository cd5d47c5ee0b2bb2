import GLibBridge
import Platform

/// Gets answers from the backend: credential, transport, and what is tried again.
@GLibActor
final class TurnEngine {
  /// The longest silence within an answer.
  static let idleDeadline = Duration.seconds(300)
  /// More connections than turns and queries that a service runs: who holds all of its own must not stop the others.
  static let http = HTTPSession(userAgent: "chappie/\(ChappieVersion.current)", maxConnections: 320)

  private let slot: CredentialSlot
  private let backoff: ChappieRateLimitBackoffPolicy
  private let policy: ChappieStreamingTransportPolicy
  private let idleSocket = IdleSocket()
  /// What the next request goes over.
  private var transport: Retries.Transport
  /// How bodies are sent over HTTP: compressed, unless the backend has refused that.
  private var coding = HTTPExchange.Coding.zstd

  init(slot: CredentialSlot, backoff: ChappieRateLimitBackoffPolicy, policy: ChappieStreamingTransportPolicy) {
    self.slot = slot
    self.backoff = backoff
    self.policy = policy
    transport = policy.prefersWebSocket ? .webSocket : .http
  }

  /// Runs one turn: the requests that `body` makes of it.
  ///
  /// - Parameter isContinued: whether the next turn may go over the same socket.
  func turn<Result>(
    for caller: ChappieClient.TurnCaller, isContinued: Bool, _ body: (TurnScope) async throws -> Result
  ) async throws -> Result {
    let scope = TurnScope(caller, slot: slot, socket: isContinued ? idleSocket.take() : nil)
    defer {
      if isContinued { idleSocket.keep(scope.socket) } else { scope.socket?.socket.close() }
      MemoryHygiene.wipeStack()
    }
    return try await body(scope)
  }

  /// Lets go of what was sent over the socket that is kept: the conversation goes on from something else.
  func forget() {
    idleSocket.forget()
  }

  /// - Throws: ``ChappieClientError``, `CancellationError`.
  func answer(_ request: TurnRequest, in scope: TurnScope) async throws -> Answer {
    var retries = Retries(transport: policy, backoff: backoff)
    var grant = try await slot.accessGrant(interaction: scope.interaction)
    var model: RequestModel
    if let known = scope.model {
      // It stays the same over all requests of a turn.
      model = known
    } else {
      let start = try await catalogue.start(request.choice, grant)
      (model, grant) = (start.model, start.grant)
      if start.isRenewed { retries.noteAnotherToken() }
    }
    var used = transport
    var hadNoSocket = false
    var delivered = ""
    while true {
      scope.model = model
      let reader = AnswerReader(scope, asking: model.slug, repeating: delivered)
      do {
        let answer = try await exchange(ResponsesRequest(request, for: model), grant, scope, reader, over: used)
        // What the answer names was held against its token until here.
        withExtendedLifetime(grant) {}
        // A network that has HTTP and lets no WebSocket through will not do so next time.
        if hadNoSocket { transport = .http }
        return answer
      } catch let failure as ExchangeFailure {
        delivered = reader.delivered
        switch retries.decide(failure, over: used, hasDelivered: !delivered.isEmpty) {
        case .fail(let error): throw Self.explained(error, grant)
        case .again(let seconds): try await sleep(for: .seconds(seconds))
        case .withAnotherToken: grant = try await slot.accessGrant(insteadOf: grant)
        case .withAnotherModel(let error):
          guard let other = try await catalogue.model(for: request.choice, insteadOf: model, grant) else {
            throw notOffered(error, model, grant)
          }
          model = other
        case .withoutCompression: coding = .plain
        case .overHTTP(let forGood):
          used = .http
          if forGood { transport = .http }
          if case .noWebSocket(.network, _) = failure { hadNoSocket = true }
        }
      }
    }
  }

  private var catalogue: ModelCatalogue { ModelCatalogue(slot: slot, backoff: backoff) }

  /// Says what can be asked in place of a model that the backend does not take.
  private func notOffered(_ error: ChappieClientError, _ model: RequestModel, _ grant: AccessGrant)
    -> ChappieClientError
  {
    let offered = slot.modelCache.offered(to: grant.accountID).filter { $0 != model.slug }
    guard case .httpError(let status, let message) = error, !offered.isEmpty else { return error }
    let list = offered.prefix(Self.shownModels).joined(separator: ", ")
    return .httpError(status, "\(message) Choose one that is offered: \(list).")
  }

  /// As many as a sentence can name.
  private static let shownModels = 12

  /// Who is refused without naming an account is refused for that.
  private static func explained(_ error: ChappieClientError, _ grant: AccessGrant) -> ChappieClientError {
    guard case .httpError(let status, _) = error, [401, 403].contains(status), grant.accountID == nil
    else { return error }
    return .missingAccountID
  }

  private func exchange(
    _ request: ResponsesRequest, _ grant: AccessGrant, _ scope: TurnScope, _ reader: AnswerReader,
    over transport: Retries.Transport
  ) async throws -> Answer {
    scope.accountID = grant.accountID
    switch transport {
    case .webSocket:
      return try await SocketExchange(http: Self.http, method: slot.method).run(request, grant, scope, reader)
    case .http:
      return try await HTTPExchange(http: Self.http, method: slot.method, coding: coding).run(
        request, grant, scope, reader)
    }
  }
}
