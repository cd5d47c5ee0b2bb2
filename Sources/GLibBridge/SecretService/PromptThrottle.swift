import Synchronization

/// Lets the keyring ask the user one thing at a time, and not again at once whoever was refused.
///
/// A program that may have the user asked could otherwise cover the screen with questions until one is consented to.
@GLibActor
public final class PromptThrottle {
  /// How long somebody who was refused has to wait, by how often it was.
  private struct Pause {
    static let first = Duration.seconds(30)
    static let longest = Duration.seconds(480)

    var length: Duration
    var end: ContinuousClock.Instant

    /// A long time after its end it is forgotten.
    func isForgotten(_ now: ContinuousClock.Instant) -> Bool { end + Self.longest < now }
  }

  nonisolated static let shared = PromptThrottle()

  /// By the group of callers; that of this process's own work has no name.
  private nonisolated let pauses = Mutex<[String: Pause]>([:])
  private nonisolated let now: @Sendable () -> ContinuousClock.Instant
  private var isAsking = false
  private var waiting: [Promise<End>] = []

  /// How an open question ended, for those that wait.
  private enum End {
    /// The user, or the keyring, has answered.
    case answered
    /// Who asked has left.
    case takenAway
  }

  nonisolated init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
    self.now = now
  }

  /// Whether the user has just refused what this task works for, so that its calls are as if nobody may be asked.
  public nonisolated static var isBackingOff: Bool { shared.isBackingOff(CallerGroup.current ?? "") }

  nonisolated func isBackingOff(_ group: String) -> Bool {
    pauses.withLock { pauses in pauses[group].map { $0.end > now() } ?? false }
  }

  /// Runs `asking`, which asks the user, unless somebody else's question is open or the user has just refused one of the
  /// same group: then `quiet`, after the end of the open question. One that is taken away makes room for the next.
  ///
  /// - Throws: what the two throw, `CancellationError`.
  func pass<Result>(
    asking: () async throws -> Result, quiet: () async throws -> Result
  ) async throws -> Result {
    while isAsking {
      let end = Promise<End>()
      waiting.append(end)
      if case .answered = try await end.value() { return try await quiet() }
    }
    let group = CallerGroup.current ?? ""
    guard !isBackingOff(group) else { return try await quiet() }
    isAsking = true
    let start = now()
    do {
      let result = try await asking()
      pauses.withLock { $0[group] = nil }
      ended(.answered)
      return result
    } catch {
      if Self.isRefusal(error, after: now() - start) { pause(group) }
      ended(error is CancellationError ? .takenAway : .answered)
      throw error
    }
  }

  private func ended(_ end: End) {
    isAsking = false
    let waiting = waiting
    self.waiting = []
    for promise in waiting { promise.fulfil(end) }
  }

  /// A question that was taken away counts, too: it was on the screen. So does one that nobody answered.
  private static func isRefusal(_ error: any Error, after time: Duration) -> Bool {
    switch error {
    case SecretStoreError.locked, is CancellationError: true
    default: time > SecretServicePair.patience / 2
    }
  }

  private func pause(_ group: String) {
    let now = now()
    let length = pauses.withLock { pauses in
      pauses = pauses.filter { !$0.value.isForgotten(now) }
      let length = pauses[group].map { min($0.length * 2, Pause.longest) } ?? Pause.first
      pauses[group] = Pause(length: length, end: now + length)
      return length
    }
    Log.notice("The user has refused the keyring's question: it asks nothing for the same program for \(length).")
  }
}
