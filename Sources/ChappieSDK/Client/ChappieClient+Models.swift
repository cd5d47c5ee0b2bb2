import GLibBridge

extension ChappieClient {
  /// The models that the plan offers, best first. Those that the backend hides are left out; a client that knows the
  /// slug of one can still use it.
  ///
  /// The list is kept for five minutes, for all clients of the same credential.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  public func models(filter: ChappieModelFilter = ChappieModelFilter()) async throws -> [ChappieModel] {
    try await models(filter: filter, interaction: .forbidden)
  }

  /// As ``models(filter:)``; `interaction` decides whether the keyring may ask for its password.
  @GLibActor
  package func models(
    filter: ChappieModelFilter, interaction: UserInteraction
  ) async throws -> [ChappieModel] {
    let catalogue = ModelCatalogue(slot: conversation.slot, backoff: configuration.rateLimitBackoff)
    return try await ChappieClientError.converting { try await catalogue.models(interaction).filter(filter.matches) }
  }

  /// The best model that `filter` matches; nil when there is none, also where the list is empty.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  public func bestAvailableModel(filter: ChappieModelFilter = .default) async throws -> ChappieModel? {
    try await models(filter: filter).first
  }

  /// The best model that `filter` matches other than the one that failed; nil when there is none, also where the list
  /// is empty.
  ///
  /// - Parameter slug: the model to do without; nil is the one that this client asks.
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  @GLibActor
  public func fallbackModel(
    insteadOf slug: String? = nil, filter: ChappieModelFilter = .default
  ) async throws -> ChappieModel? {
    let failed = slug ?? model
    return try await models(filter: filter).first { $0.slug != failed }
  }
}
