import GLibBridge

/// Gets the answer to one request after the other: credential, transport, and what is tried again.
@GLibActor
final class RequestRunner {
  private let slot: CredentialSlot
  private let backoff: ChappieRateLimitBackoffPolicy
  private let policy: ChappieStreamingTransportPolicy
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

  /// - Throws: ``ChappieClientError``, `CancellationError`.
  func answer(_ request: TurnRequest, in scope: TurnScope) async throws -> ModelAnswer {
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
    while true {
      scope.model = model
      scope.trace.noteRequest(to: model.slug, over: used)
      do {
        let answer = try await exchange(ResponsesRequest(request, for: model), grant, scope, over: used)
        // What it names is held against the token of the request.
        let named = withExtendedLifetime(grant) { ModelAnswer(answer, of: model.slug) }
        // A network that has HTTP and lets no WebSocket through will not do so next time.
        if hadNoSocket { transport = .http }
        return named
      } catch let failure as ExchangeFailure {
        switch retries.decide(failure, over: used, hasDelivered: !scope.text.latest.isEmpty) {
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
    _ request: ResponsesRequest, _ grant: AccessGrant, _ scope: TurnScope, over transport: Retries.Transport
  ) async throws -> BackendAnswer {
    scope.accountID = grant.accountID
    let reader = AnswerReader(scope)
    switch transport {
    case .webSocket:
      return try await SocketExchange(method: slot.method).run(request, grant, scope.line, reader)
    case .http:
      return try await HTTPExchange(method: slot.method, coding: coding).run(request, grant, scope.line, reader)
    }
  }
}

/// The answer to one request.
struct ModelAnswer {
  /// The slug of the model that was asked.
  let model: String
  /// Whether the model says in it that it does not answer.
  let isRefusal: Bool
  /// What the model made, in order, as it came.
  let items: [ChappieJSONValue]
  let usage: ChappieTokenUsage
  /// The id as it may be shown; empty where it may not.
  let shownID: String
  /// The calls among the items.
  let calls: [ToolCallItem]
  /// Calls of another kind, which nothing here runs.
  let foreignCalls: ForeignCalls

  /// To be made while the token of the request is at hand: no name in the answer may be a part of it.
  init(_ answer: BackendAnswer, of model: String) {
    self.model = model
    isRefusal = answer.isRefusal
    items = answer.items
    usage = answer.usage
    shownID = Redaction.name(answer.responseID) ?? ""
    calls = items.compactMap(ToolCallItem.init)
    foreignCalls = ForeignCalls(among: items)
  }
}
