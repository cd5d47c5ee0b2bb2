import GLibBridge

extension ChappieClient {
  /// Asks the backend how much of the plan is used. Answers tell it too, as ``ChappieStreamEvent/usageLimits(_:)``.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  public func usageLimits() async throws -> ChappieUsageLimitSnapshot {
    try await usageLimits(interaction: .forbidden)
  }

  /// As ``usageLimits()``; `interaction` decides whether the keyring may ask for its password.
  @GLibActor
  package func usageLimits(interaction: UserInteraction) async throws -> ChappieUsageLimitSnapshot {
    let slot = conversation.slot
    let query = BackendQuery(slot: slot, backoff: configuration.rateLimitBackoff)
    let answer = try await ChappieClientError.converting {
      try await query.get(slot.method.usageURL, try await slot.accessGrant(interaction: interaction))
    }
    guard let snapshot = ChappieUsageLimitSnapshot(answer: answer.json) else {
      throw ChappieClientError.httpError(answer.status, "The backend's answer does not tell of usage.")
    }
    slot.usage.replace(with: snapshot, of: answer.accountID)
    return snapshot
  }

  /// What is known of the plan's use without asking: told to any client of this slot, by whatever brought it.
  @GLibActor
  package var latestUsageLimits: ChappieUsageLimitSnapshot? { conversation.slot.usage.latest }

  /// Calls `observer` after each change of ``latestUsageLimits``, for as long as the result is kept.
  @GLibActor
  package func observeUsageLimits(_ observer: @escaping @GLibActor () -> Void) -> Observation {
    conversation.slot.usage.observe(observer)
  }
}
