// SPDX-License-Identifier: Apache-2.0
import GLibBridge

@GLibActor
extension ChappieClient {
  /// The models that the plan offers, best first. Models that the backend hides are left out; a client can still use
  /// one by its slug.
  ///
  /// All clients of the same slot share the list. It is asked for again after five minutes, or when the backend has
  /// announced another one.
  ///
  /// - Parameter filter: the models to return; by default all of them.
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  public nonisolated func models(filter: ChappieModelFilter = ChappieModelFilter()) async throws -> [ChappieModel] {
    try await models(filter: filter, interaction: .forbidden)
  }

  /// Same as ``models(filter:)``; `interaction` decides whether the keyring may ask for its password.
  package func models(
    filter: ChappieModelFilter, interaction: UserInteraction
  ) async throws -> [ChappieModel] {
    try await ChappieClientError.converting {
      try await engine.requests.catalogue.models(interaction).filter(filter.matches)
    }
  }

  /// The best model that matches a filter.
  ///
  /// - Parameter filter: by default the models that the API supports and that read text.
  /// - Returns: nil if no model matches.
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  public nonisolated func bestAvailableModel(filter: ChappieModelFilter = .default) async throws -> ChappieModel? {
    try await models(filter: filter).first
  }

  /// The best model that matches a filter, other than one that has failed.
  ///
  /// - Parameters:
  ///   - slug: the failed model; nil stands for this client's model.
  ///   - filter: by default the models that the API supports and that read text.
  /// - Returns: nil if no other model matches.
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  public func fallbackModel(
    insteadOf slug: String? = nil, filter: ChappieModelFilter = .default
  ) async throws -> ChappieModel? {
    let failed = slug ?? model
    return try await models(filter: filter).first { $0.slug != failed }
  }

  // MARK: Usage

  /// Asks the backend for the plan's usage. Answers report it too, as ``ChappieStreamEvent/usageLimits(_:)``.
  ///
  /// - Returns: the usage now; a part that the backend does not report is nil. After a sign-in in the browser all parts
  ///   are nil: the user sees the usage at ``ChappieAuthSession/manageUsageURL``.
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  public nonisolated func usageLimits() async throws -> ChappieUsageLimitSnapshot {
    try await usageLimits(interaction: .forbidden)
  }

  /// Same as ``usageLimits()``; `interaction` decides whether the keyring may ask for its password.
  package func usageLimits(interaction: UserInteraction) async throws -> ChappieUsageLimitSnapshot {
    let query = BackendQuery(slot: slot, backoff: configuration.rateLimitBackoff)
    let reply = try await ChappieClientError.converting { () -> BackendQuery.Reply? in
      let grant = try await slot.accessGrant(interaction: interaction)
      guard let address = grant.backend.usageURL else { return nil }
      return try await query.get(address, grant)
    }
    guard let answer = reply else { return ChappieUsageLimitSnapshot() }
    guard let snapshot = ChappieUsageLimitSnapshot(answer: answer.json) else {
      throw ChappieClientError.httpError(answer.status, "The backend's answer does not tell of usage.")
    }
    slot.usage.replace(with: snapshot, of: answer.accountID)
    return snapshot
  }

  /// The last usage that any client of this slot has received, from a query or an answer. It asks nothing.
  package var latestUsageLimits: ChappieUsageLimitSnapshot? { slot.usage.latest }

  /// Calls `observer` after each change of ``latestUsageLimits`` until the result is released.
  package func observeUsageLimits(_ observer: @escaping @GLibActor () -> Void) -> Observation {
    slot.usage.changes.observe(observer)
  }
}
