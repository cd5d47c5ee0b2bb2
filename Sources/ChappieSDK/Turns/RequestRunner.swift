// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Sends requests, one after the other: chooses credential, model and transport, and retries.
@GLibActor
final class RequestRunner {
  let slot: CredentialSlot
  private let backoff: ChappieRateLimitBackoffPolicy
  private let policy: ChappieStreamingTransportPolicy
  /// After this time requests try a WebSocket again, which could not be had before.
  private var noSocketUntil = ContinuousClock.now
  /// Whether bodies over HTTP are compressed: until the backend refuses compression.
  private var compresses = true
  /// Whether conversations keep the searches of earlier turns: until the backend refuses a conversation with one.
  private var keepsSearches = true
  let files = FileTexts()

  init(_ configuration: ChappieConfiguration) {
    slot = SlotRegistry.slot(for: configuration)
    backoff = configuration.rateLimitBackoff
    policy = configuration.streamingTransportPolicy
  }

  /// How long requests go over HTTP when no WebSocket can be had. A client may live as long as the session.
  private static let pause = Duration.seconds(600)

  /// Whether the next request goes over a WebSocket.
  var usesSockets: Bool { policy.prefersWebSocket && noSocketUntil <= .now }

  /// Opens a connection for a coming turn, and asks for the list of models if it is due.
  func prepare(_ choice: ModelChoice) {
    guard usesSockets else { return }
    slot.idleSockets.prepare { [slot, catalogue] in
      let grant = try await slot.accessGrant(interaction: .forbidden)
      Task.onGLib { _ = try? await catalogue.start(choice, grant) }
      guard grant.backend.hasWebSocket else {
        throw ExchangeFailure.noWebSocket(.network("this backend has no WebSocket"), isLasting: true)
      }
      return try await SocketExchange().connect(UniqueID.make(), grant)
    }
  }

  /// - Throws: ``ChappieClientError``, `CancellationError`.
  func answer(_ request: TurnRequest, in scope: TurnScope) async throws -> ModelAnswer {
    var retries = Retries(transport: policy, backoff: backoff)
    var grant = try await slot.accessGrant(interaction: scope.caller.interaction)
    try check(grant)
    // No message on a WebSocket may be longer than a conversation without files.
    let fitsSockets = request.footprint <= TurnLimits.requestBytes
    guard fitsSockets || policy.fallsBackToHTTPSSE || !policy.prefersWebSocket else {
      throw ChappieClientError.limitExceeded("The files are too large for a WebSocket: allow HTTP, or send fewer.")
    }
    var used = grant.backend.hasWebSocket && usesSockets && fitsSockets ? Retries.Transport.webSocket : .http
    var model: RequestModel
    if let known = scope.model {
      // All requests of a turn go to the same model.
      model = known
    } else {
      // The socket opens while the list of models is asked for.
      if used == .webSocket, scope.line.socket == nil {
        scope.line.socket = .opening(
          Task.onGLib { [grant] in try await SocketExchange().connect(request.threadID, grant) })
      }
      let start = try await catalogue.start(request.choice, grant)
      (model, grant) = (try Self.searching(start.model, request), start.grant)
      if start.isRenewed {
        retries.noteAnotherToken()
        scope.line.socket?.close()
        scope.line.socket = nil
      }
    }
    var hadNoSocket = false
    var keepsSearches = keepsSearches
    var request = request
    if request.hasFiles { scope.filesForm = .inline }
    while true {
      if request.hasFiles, slot.modelCache.takesNoFiles(ModelCache.Served(model, grant)) {
        try await showText(of: &request, to: model, in: scope)
      }
      try BackendLine.admitRequest()
      scope.model = model
      scope.caller.trace.noteRequest(to: model.slug, over: used)
      do {
        var sent = request
        if !keepsSearches { sent.input.removeAll(where: \.isWebSearch) }
        let answer = try await exchange(ResponsesRequest(sent, for: model), grant, scope, over: used)
        // No name in the answer may be a piece of the token, which must exist for the comparison.
        let named = withExtendedLifetime(grant) { ModelAnswer(answer, of: model.slug) }
        self.keepsSearches = keepsSearches
        // The same request with files was refused, or would be.
        if scope.filesForm == .text { slot.modelCache.noteNoFiles(ModelCache.Served(model, grant)) }
        // A network that passes HTTP and no WebSocket will not pass the next one either.
        if hadNoSocket { noSocketUntil = .now + Self.pause }
        note(.enabled, grant)
        return named
      } catch let failure as ExchangeFailure {
        if let planUse = failure.planUse { note(planUse, grant) }
        switch retries.decide(failure, over: used, hasDelivered: !scope.text.latest.isEmpty) {
        case .fail(let error):
          if case .toolsRefused(_, let reason) = failure, request.webSearch != nil {
            throw Self.cannotSearch(model, because: reason)
          }
          throw Self.explained(error, grant)
        case .again(let seconds): try await sleep(for: .seconds(seconds))
        case .withAnotherToken: grant = try await slot.accessGrant(insteadOf: grant)
        case .withAnotherModel(let error):
          guard let other = try await catalogue.model(for: request.choice, insteadOf: model, grant) else {
            throw notOffered(error, model, grant)
          }
          let next = try Self.searching(other, request)
          guard !next.isAsked(like: model) else {
            let reason = if case .httpError(_, let body) = error { body } else { "" }
            throw Self.cannotSearch(model, because: reason)
          }
          model = next
        case .withPlainInput(let error):
          if keepsSearches, request.input.contains(where: \.isWebSearch) {
            keepsSearches = false
          } else if request.hasFiles {
            try await showText(of: &request, to: model, in: scope)
            keepsSearches = self.keepsSearches
          } else {
            throw Self.explained(error, grant)
          }
        case .withoutCompression: compresses = false
        case .overHTTP(let isLasting):
          used = .http
          if isLasting { noSocketUntil = .now + Self.pause }
          if case .noWebSocket(.network, _) = failure { hadNoSocket = true }
        }
      }
    }
  }

  /// Notes the backend's word on the plan, unless another account has signed in meanwhile.
  private func note(_ planUse: ChappiePlanUse, _ grant: AccessGrant) {
    guard slot.state.accountInfo?.isRequester(grant.accountID) ?? false else { return }
    slot.apply(.planUse(planUse))
  }

  /// Puts the text of the files in their place.
  private func showText(of request: inout TurnRequest, to model: RequestModel, in scope: TurnScope) async throws {
    do {
      request.input = try await files.replacing(filesIn: request.input, of: model, hold: scope.size.add(content:))
      try scope.size.ask(request)
    } catch {
      files.forget()
      throw error
    }
    scope.filesForm = .text
  }

  /// Refuses what this sign-in's backend would refuse, before anything is sent.
  private func check(_ grant: AccessGrant) throws(ChappieClientError) {
    guard grant.planUse != .notGranted else { throw .planUseNotGranted }
    let insistsOnSockets = policy.prefersWebSocket && !policy.fallsBackToHTTPSSE
    if insistsOnSockets, !grant.backend.hasWebSocket { throw .unsupportedCapability("streaming_transport_policy") }
  }

  /// The model for a request: one that searches the web goes in the plain form, because the backend ignores its own tools
  /// in the other one.
  private static func searching(_ model: RequestModel, _ request: TurnRequest) throws(ChappieClientError)
    -> RequestModel
  {
    guard request.webSearch != nil else { return model }
    guard model.searchesWeb != false else { throw cannotSearch(model) }
    var model = model
    model.form = .plain
    return model
  }

  /// - Parameter reason: the backend's words, if it was asked.
  private static func cannotSearch(_ model: RequestModel, because reason: String = "") -> ChappieClientError {
    let capability = "\(ChappieWebSearch.tool) with \(model.slug)"
    return .unsupportedCapability(reason.isEmpty ? capability : "\(capability): \(reason.withoutFullStop)")
  }

  var catalogue: ModelCatalogue { ModelCatalogue(slot: slot, backoff: backoff) }

  /// An error that lists the offered models in place of the refused one.
  private func notOffered(_ error: ChappieClientError, _ model: RequestModel, _ grant: AccessGrant)
    -> ChappieClientError
  {
    let offered = slot.modelCache.offered(to: grant.accountID).filter { $0 != model.slug }
    guard case .httpError(let status, let message) = error, !offered.isEmpty else { return error }
    let list = offered.prefix(Self.shownModels).joined(separator: ", ")
    return .httpError(status, "\(message.withoutFullStop). Choose one that is offered: \(list).")
  }

  /// The maximum number of models in the sentence.
  private static let shownModels = 12

  /// If the token names no account, that is the reason for a refusal.
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
      return try await SocketExchange().run(request, grant, scope.line, reader)
    case .http:
      let compresses = compresses && grant.backend.takesCompression
      return try await HTTPExchange(compresses: compresses).run(request, grant, scope.line, reader)
    }
  }
}

/// The answer to one request.
struct ModelAnswer {
  /// The slug of the model that answered.
  let model: String
  let answer: BackendAnswer
  /// The response id; empty if it may not be shown.
  let shownID: String
  /// The calls among the items.
  let calls: [ToolCallItem]
  /// Calls of kinds that the client does not run.
  let foreignCalls: ForeignCalls

  /// Call it while the request's token exists: a name in the answer that is a piece of the token is not shown.
  init(_ answer: BackendAnswer, of model: String) {
    self.model = model
    self.answer = answer
    shownID = Redaction.name(answer.responseID) ?? ""
    calls = answer.items.compactMap(ToolCallItem.init)
    foreignCalls = ForeignCalls(among: answer.items)
  }

  /// Whether the turn continues with outputs of tools.
  ///
  /// - Parameter ids: those of the turn's calls so far, to which it adds its own. An approval or a result names a call by
  ///   its id alone.
  /// - Throws: ``ChappieClientError`` if the turn should continue and cannot.
  func callsTools(saying text: Substring, adding ids: inout Set<String>) throws -> Bool {
    guard calls.allSatisfy({ $0.hasPlainID && ids.insert($0.callID).inserted }), foreignCalls.havePlainIDs else {
      throw ChappieClientError.httpError(200, "The backend called a tool with an id that cannot be used.")
    }
    if !calls.isEmpty || !foreignCalls.outputs.isEmpty { return true }
    // The answer consists of calls that this client cannot run.
    if text.isEmpty, let kind = foreignCalls.omittedKind { throw ChappieClientError.missingToolHandler(kind) }
    return false
  }
}
