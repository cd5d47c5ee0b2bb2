// SPDX-License-Identifier: Apache-2.0
import GLibBridge

extension ChappieClient {
  /// Asks the backend for the plan's usage. Answers report it too, as ``ChappieStreamEvent/usageLimits(_:)``.
  ///
  /// - Returns: the usage now; a part that the backend does not report is nil. After a sign-in in the browser all parts
  ///   are nil: the user sees the usage at ``ChappieAuthSession/manageUsageURL``.
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  public func usageLimits() async throws -> ChappieUsageLimitSnapshot {
    try await usageLimits(interaction: .forbidden)
  }

  /// Same as ``usageLimits()``; `interaction` decides whether the keyring may ask for its password.
  @GLibActor
  package func usageLimits(interaction: UserInteraction) async throws -> ChappieUsageLimitSnapshot {
    let slot = conversation.slot
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
  @GLibActor
  package var latestUsageLimits: ChappieUsageLimitSnapshot? { conversation.slot.usage.latest }

  /// Calls `observer` after each change of ``latestUsageLimits`` until the result is released.
  @GLibActor
  package func observeUsageLimits(_ observer: @escaping @GLibActor () -> Void) -> Observation {
    conversation.slot.usage.observe(observer)
  }
}
