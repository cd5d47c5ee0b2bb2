import GLibBridge

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
  func answer(_ request: ResponsesRequest, in scope: TurnScope) async throws -> Answer {
    var retries = Retries(transport: policy, backoff: backoff)
    var grant = try await slot.accessGrant(interaction: scope.interaction)
    var used = transport
    var hadNoSocket = false
    var delivered = ""
    while true {
      let reader = AnswerReader(scope, repeating: delivered)
      do {
        let answer = try await exchange(request, grant, scope, reader, over: used)
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
        case .withoutCompression: coding = .plain
        case .overHTTP(let forGood):
          used = .http
          if forGood { transport = .http }
          if case .noWebSocket(.network, _) = failure { hadNoSocket = true }
        }
      }
    }
  }

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
