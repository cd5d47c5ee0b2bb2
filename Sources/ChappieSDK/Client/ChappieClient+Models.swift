// SPDX-License-Identifier: Apache-2.0
import GLibBridge

extension ChappieClient {
  /// The models that the plan offers, best first. Models that the backend hides are left out; a client can still use
  /// one by its slug.
  ///
  /// All clients of the same slot share the list. It is asked for again after five minutes, or when the backend has
  /// announced another one.
  ///
  /// - Parameter filter: the models to return; by default all of them.
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

  /// The best model that matches a filter.
  ///
  /// - Parameter filter: by default the models that the API supports and that read text.
  /// - Returns: nil if no model matches.
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  public func bestAvailableModel(filter: ChappieModelFilter = .default) async throws -> ChappieModel? {
    try await models(filter: filter).first
  }

  /// The best model that matches a filter, other than one that has failed.
  ///
  /// - Parameters:
  ///   - slug: the failed model; nil stands for this client's model.
  ///   - filter: by default the models that the API supports and that read text.
  /// - Returns: nil if no other model matches.
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  @GLibActor
  public func fallbackModel(
    insteadOf slug: String? = nil, filter: ChappieModelFilter = .default
  ) async throws -> ChappieModel? {
    let failed = slug ?? model
    return try await models(filter: filter).first { $0.slug != failed }
  }
}
