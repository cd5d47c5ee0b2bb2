// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The backend's offer for a slot.
@GLibActor
struct ModelCatalogue {
  let slot: CredentialSlot
  let backoff: ChappieRateLimitBackoffPolicy

  /// Returns the backend's listed models, best first.
  ///
  /// - Throws: ``CredentialError``, ``ChappieClientError``, `CancellationError`.
  func models(_ interaction: UserInteraction) async throws -> [ChappieModel] {
    // The grant comes first, even for a cached list: a list belongs to the signed-in account and obeys the lock rules.
    let grant = try await slot.accessGrant(interaction: interaction)
    if let models = slot.modelCache.models(for: grant.accountID) { return models }
    return try await ask(grant, BackendQuery(slot: slot, backoff: backoff)).filter(\.isListed).map(\.model)
  }

  /// Returns the context window of a turn's model, in tokens. Nil when the backend does not state it.
  ///
  /// - Throws: ``CredentialError``, ``ChappieClientError``, `CancellationError`.
  func contextWindow(for choice: ModelChoice, _ interaction: UserInteraction) async throws -> Int? {
    let start = try await start(choice, try await slot.accessGrant(interaction: interaction))
    return slot.modelCache.contextWindow(of: start.model.slug, for: start.grant.accountID)
  }

  private func ask(_ grant: AccessGrant, _ query: BackendQuery) async throws -> [CatalogueEntry] {
    let answer = try await query.get(grant.backend.modelsURL, grant)
    guard let entries = CatalogueEntry.list(answer.json, of: grant.backend) else {
      throw ChappieClientError.httpError(answer.status, "The backend's answer is no list of models.")
    }
    slot.modelCache.keep(entries, etag: answer.headers["etag"], for: answer.accountID)
    return entries
  }

  // MARK: For turns

  /// Returns the model for a turn, the grant for its request, and whether the grant was refreshed because the backend
  /// refused the first one.
  ///
  /// Without a list, the backend is asked for one first. A failure to get it stops no turn.
  ///
  /// - Throws: ``CredentialError`` when a refused token cannot be refreshed, ``ChappieClientError`` when the answering
  ///   server may not be the backend, `CancellationError`.
  func start(
    _ choice: ModelChoice, _ grant: AccessGrant
  ) async throws -> (model: RequestModel, grant: AccessGrant, isRenewed: Bool) {
    var grant = grant
    var isRenewed = false
    switch slot.modelCache.knowledge(for: grant.accountID) {
    case .good, .unavailable: break
    case .old: _ = question(grant)
    case .none:
      var failure = try await newList(grant)
      if case .rejected = failure {
        grant = try await slot.accessGrant(insteadOf: grant)
        isRenewed = true
        failure = try await newList(grant)
      }
      // The turn would send its request to the same server.
      if case .untrusted(let error) = failure { throw error }
    }
    return (slot.modelCache.model(for: choice, of: grant.accountID), grant, isRenewed)
  }

  /// Returns the replacement for a refused model: another default model, or the same model in another form. Nil when no
  /// replacement is left.
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

  /// Requests the list. Turns that need it at the same time share one request.
  private func newList(_ grant: AccessGrant) async throws -> ExchangeFailure? {
    let question = question(grant)
    try await question.task.untilEnded()
    return await question.task.value
  }

  /// Returns the running request for the credential of `grant`, or a new one. Callers need not wait for it.
  private func question(_ grant: AccessGrant) -> ModelQuestion {
    let mark = CredentialMark(grant)
    if let question = slot.modelCache.question, question.owner == mark { return question }
    let task = Task.onGLib { () -> ExchangeFailure? in
      defer { if slot.modelCache.question?.owner == mark { slot.modelCache.question = nil } }
      do {
        _ = try await ask(grant, BackendQuery(slot: slot, backoff: .disabled, asksOnce: true))
        return nil
      } catch ExchangeFailure.rejected(let error) {
        return .rejected(error)
      } catch ExchangeFailure.untrusted(let error) {
        return .untrusted(error)
      } catch {
        slot.modelCache.noteFailure()
        Log.notice("The backend's list of models is not available: \(reason: ExchangeFailure.reason(of: error)).")
        return nil
      }
    }
    slot.modelCache.question = (mark, task)
    return (mark, task)
  }
}

/// A running request for the models, with the credential `owner`. Its result is the failure that matters to a turn: the
/// backend refused the token, or the answering server may not be the backend.
typealias ModelQuestion = (owner: CredentialMark, task: Task<ExchangeFailure?, Never>)

/// A model of the backend's catalogue, with the requirements for requests to it.
struct CatalogueEntry: Sendable, Equatable {
  let model: ChappieModel
  /// Whether lists show the model. A hidden model still answers requests with its slug.
  var isListed = true
  var form = RequestModel.Form.plain
  /// The backend's own value for the effort `ultra`.
  var ultra: String?

  /// Parses the backend's answer into entries, best first: by priority, then in the backend's order.
  ///
  /// Entries without a usable slug are left out. A repeated slug counts once.
  ///
  /// - Returns: the entries, or nil when the answer is no list of models.
  static func list(_ answer: ChappieJSONValue, of backend: BackendProfile) -> [CatalogueEntry]? {
    guard case .array(let elements) = answer["models"] else { return nil }
    var slugs: Set<String> = []
    let entries = elements.compactMap { CatalogueEntry($0, of: backend) }.filter {
      slugs.insert($0.model.slug).inserted
    }
    return entries.enumerated()
      .sorted { ($0.element.model.priority, $0.offset) < ($1.element.model.priority, $1.offset) }.map(\.element)
  }
}

extension CatalogueEntry {
  private init?(_ json: ChappieJSONValue, of backend: BackendProfile) {
    guard
      let model = ChappieModel(
        json, isServed: backend.servesListedModels, tellsOfSearch: backend.hasLiteForm)
    else { return nil }
    self.init(
      model: model, isListed: json["visibility"]?.stringValue.map { $0 == "list" } ?? true,
      form: backend.hasLiteForm && json["use_responses_lite"]?.boolValue == true ? .lite : .plain,
      ultra: json["multi_agent_reasoning_effort"]?.stringValue.flatMap { ChappieModel.isSlug($0) ? $0 : nil })
  }
}

extension RequestModel {
  init(_ entry: CatalogueEntry) {
    self.init(
      slug: entry.model.slug, form: entry.form, efforts: entry.model.supportedReasoningLevels, ultra: entry.ultra,
      searchesWeb: entry.model.searchesWeb,
      readsImages: entry.model.inputModalities.isEmpty ? nil : entry.model.inputModalities.contains("image"))
  }
}
