import GLibBridge

/// What the backend offers to a slot.
@GLibActor
struct ModelCatalogue {
  let slot: CredentialSlot
  let backoff: ChappieRateLimitBackoffPolicy

  /// The models that the backend shows, best first.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  func models(_ interaction: SecretServiceClient.Interaction) async throws -> [ChappieModel] {
    // Asked first, also for what is kept: a list is for who is signed in, and only while the lock allows it.
    let grant = try await slot.accessGrant(interaction: interaction)
    if let models = slot.modelCache.models(for: grant.accountID) { return models }
    let answer = try await BackendQuery(slot: slot, backoff: backoff).get(slot.method.modelsURL, grant)
    guard let models = ChappieModel.list(answer.json) else {
      throw ChappieClientError.httpError(answer.status, "The backend's answer is no list of models.")
    }
    slot.modelCache.keep(models, etag: answer.headers["etag"], for: answer.accountID)
    return models
  }
}
