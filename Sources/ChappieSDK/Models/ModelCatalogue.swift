import GLibBridge

/// What the backend offers to a slot.
@GLibActor
struct ModelCatalogue {
  let slot: CredentialSlot
  let backoff: ChappieRateLimitBackoffPolicy

  /// The models that the backend shows, best first.
  ///
  /// - Throws: ``CredentialError``, ``ChappieClientError``, `CancellationError`.
  func models(_ interaction: UserInteraction) async throws -> [ChappieModel] {
    // Asked first, also for what is kept: a list is for who is signed in, and only while the lock allows it.
    let grant = try await slot.accessGrant(interaction: interaction)
    if let models = slot.modelCache.models(for: grant.accountID) { return models }
    return try await ask(grant, BackendQuery(slot: slot, backoff: backoff)).filter(\.isListed).map(\.model)
  }

  /// How many tokens the model of a turn takes; nil where the backend does not say.
  ///
  /// - Throws: ``CredentialError``, ``ChappieClientError``, `CancellationError`.
  func contextWindow(for choice: ModelChoice, _ interaction: UserInteraction) async throws -> Int? {
    let start = try await start(choice, try await slot.accessGrant(interaction: interaction))
    return slot.modelCache.contextWindow(of: start.model.slug, for: start.grant.accountID)
  }

  private func ask(_ grant: AccessGrant, _ query: BackendQuery) async throws -> [CatalogueEntry] {
    let answer = try await query.get(slot.method.modelsURL, grant)
    guard let entries = CatalogueEntry.list(answer.json) else {
      throw ChappieClientError.httpError(answer.status, "The backend's answer is no list of models.")
    }
    slot.modelCache.keep(entries, etag: answer.headers["etag"], for: answer.accountID)
    return entries
  }

  // MARK: For turns

  /// What a turn begins with.
  struct Start {
    let model: RequestModel
    /// What to ask it with.
    let grant: AccessGrant
    /// Whether the backend has refused the token before, so that it was renewed.
    let isRenewed: Bool
  }

  /// The model that a turn asks.
  ///
  /// The backend is asked for its list where there is none; a list that cannot be had stops no turn.
  ///
  /// - Throws: ``CredentialError`` where a token that the backend refuses cannot be renewed, ``ChappieClientError`` where
  ///   the server that answers is not known to be the backend, `CancellationError`.
  func start(_ choice: ModelChoice, _ grant: AccessGrant) async throws -> Start {
    var grant = grant
    var isRenewed = false
    switch slot.modelCache.knowledge(for: grant.accountID) {
    case .good, .unavailable: break
    case .old: _ = question(grant)
    case .none:
      var outcome = try await newList(grant)
      if case .rejected = outcome {
        grant = try await slot.accessGrant(insteadOf: grant)
        isRenewed = true
        outcome = try await newList(grant)
      }
      // The turn would ask the same server.
      if case .untrusted(let error) = outcome { throw error }
    }
    return Start(model: slot.modelCache.model(for: choice, of: grant.accountID), grant: grant, isRenewed: isRenewed)
  }

  /// What to ask where the backend did not take `refused`: another model where nobody has chosen, or the same in
  /// another form; nil where nothing else is left.
  ///
  /// - Throws: `CancellationError`.
  func model(for choice: ModelChoice, insteadOf refused: RequestModel, _ grant: AccessGrant) async throws
    -> RequestModel?
  {
    _ = try await newList(grant)
    var model = slot.modelCache.model(for: choice, of: grant.accountID)
    if model.isAsked(like: refused) {
      slot.modelCache.noteRefusal(of: refused.slug, for: grant.accountID)
      model = slot.modelCache.model(for: choice, of: grant.accountID)
    }
    return model.isAsked(like: refused) ? nil : model
  }

  /// Asks for the list, once for all turns that need it.
  private func newList(_ grant: AccessGrant) async throws -> ModelQuestion.Outcome {
    let question = question(grant)
    try await question.task.untilEnded()
    return await question.task.value
  }

  /// The question that is under way on behalf of `grant`, or a new one. Nobody has to wait for it.
  private func question(_ grant: AccessGrant) -> ModelQuestion {
    let mark = CredentialMark(grant)
    if let question = slot.modelCache.question, question.owner == mark { return question }
    let task = Task.onGLib { () -> ModelQuestion.Outcome in
      defer { if slot.modelCache.question?.owner == mark { slot.modelCache.question = nil } }
      do {
        _ = try await ask(grant, BackendQuery(slot: slot, backoff: .disabled, asksOnce: true))
        return .had
      } catch ExchangeFailure.rejected {
        return .rejected
      } catch ExchangeFailure.untrusted(let error) {
        return .untrusted(error)
      } catch {
        slot.modelCache.noteFailure()
        Log.notice("The backend's list of models is not available: \(ModelQuestion.reason(of: error)).")
        return .failed
      }
    }
    let question = ModelQuestion(owner: mark, task: task)
    slot.modelCache.question = question
    return question
  }
}

/// A question for the models that is under way.
struct ModelQuestion {
  enum Outcome {
    case had
    /// The backend does not take the token.
    case rejected
    /// It is not known to be the backend that was asked.
    case untrusted(ChappieClientError)
    case failed
  }

  /// Whose token it was asked with.
  let owner: CredentialMark
  let task: Task<Outcome, Never>

  fileprivate static func reason(of error: any Error) -> ChappieClientError {
    switch error {
    case let failure as ExchangeFailure: failure.error
    case let error as ChappieClientError: error
    case let error as CredentialError: ChappieClientError(error)
    default: .network("the request was cancelled")
    }
  }
}
