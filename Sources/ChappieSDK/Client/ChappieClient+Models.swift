import GLibBridge

extension ChappieClient {
  /// The models that the plan offers, best first. Models that the backend hides are left out; a client can still use
  /// one by its slug.
  ///
  /// All clients of the same credential share the list, which is cached for five minutes.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  public func models(filter: ChappieModelFilter = ChappieModelFilter()) async throws -> [ChappieModel] {
    try await models(filter: filter, interaction: .forbidden)
  }

  /// Same as ``models(filter:)``; `interaction` decides whether the keyring may ask for its password.
  @GLibActor
  package func models(
    filter: ChappieModelFilter, interaction: UserInteraction
  ) async throws -> [ChappieModel] {
    let catalogue = ModelCatalogue(slot: conversation.slot, backoff: configuration.rateLimitBackoff)
    return try await ChappieClientError.converting { try await catalogue.models(interaction).filter(filter.matches) }
  }

  /// The best model that matches `filter`; nil if none matches or the list is empty.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  public func bestAvailableModel(filter: ChappieModelFilter = .default) async throws -> ChappieModel? {
    try await models(filter: filter).first
  }

  /// The best model that matches `filter`, other than the failed one; nil if none matches or the list is empty.
  ///
  /// - Parameter slug: the failed model; nil stands for this client's model.
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  @GLibActor
  public func fallbackModel(
    insteadOf slug: String? = nil, filter: ChappieModelFilter = .default
  ) async throws -> ChappieModel? {
    let failed = slug ?? model
    return try await models(filter: filter).first { $0.slug != failed }
  }
}
