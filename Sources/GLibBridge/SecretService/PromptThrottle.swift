// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Limits the keyring's prompts: one at a time, and none for a while after the user has refused one.
///
/// Otherwise a program could show prompts until the user gives in. A prompt that ends before anybody can have read it is
/// no refusal, and is asked for once more: GNOME Keyring reports a prompter that does not start, crashes, or cannot open
/// its window over an open menu, as a user who has dismissed the prompt.
@GLibActor
public final class PromptThrottle {
  /// The back-off of a group of callers after a refusal.
  private struct Pause {
    static let first = Duration.seconds(30)
    static let longest = Duration.seconds(480)

    var length: Duration
    var end: ContinuousClock.Instant

    /// A back-off is forgotten when this time has passed since its end.
    func isForgotten(_ now: ContinuousClock.Instant) -> Bool { end + Self.longest < now }
  }

  /// People need a quarter of a second to react to anything that appears, and this has to be drawn and read as well.
  private static let reactionTime = Duration.milliseconds(300)

  nonisolated static let shared = PromptThrottle()

  /// The back-off of each group of callers; the key is empty for this process's own work.
  private nonisolated let pauses = Mutex<[String: Pause]>([:])
  private nonisolated let now: @Sendable () -> ContinuousClock.Instant
  /// The call that may prompt, since it runs or, when the keyring was told to show its prompt, since then.
  private var asking: (since: ContinuousClock.Instant, isShowing: Bool)?
  /// Fulfilled at the end of the prompt: whether the user or the keyring has answered, and not its caller cancelled it.
  private var waiting: [Promise<Bool>] = []

  nonisolated init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
    self.now = now
  }

  /// The keyring is told to show a prompt now. The first of a call counts: another one may be of other work, and needs
  /// no user.
  func promptBegins() {
    if asking?.isShowing == false { asking = (now(), true) }
  }

  /// Whether the running task's group of callers is backing off. Its calls then behave as if prompts were forbidden.
  public nonisolated static var isBackingOff: Bool { shared.isBackingOff(CallerGroup.current ?? "") }

  nonisolated func isBackingOff(_ group: String) -> Bool {
    pauses.withLock { pauses in pauses[group].map { $0.end > now() } ?? false }
  }

  /// Runs `asking`, which may prompt the user. If another prompt is open, waits for its end and runs `quiet`, which
  /// does not prompt. If the group is backing off, runs `quiet` at once. When an open prompt is cancelled, the next
  /// waiting call may prompt.
  ///
  /// - Throws: any error of the two closures, `CancellationError`.
  func pass<Result>(
    asking: () async throws -> Result, quiet: () async throws -> Result
  ) async throws -> Result {
    while self.asking != nil {
      let wasAnswered = Promise<Bool>()
      waiting.append(wasAnswered)
      if try await wasAnswered.value() { return try await quiet() }
    }
    let group = CallerGroup.current ?? ""
    guard !isBackingOff(group) else { return try await quiet() }
    self.asking = (now(), false)
    do {
      let result: Result
      do {
        result = try await asking()
      } catch SecretStoreError.locked where wasUnseen {
        Log.notice("The keyring's prompt has ended before anybody could read it: it is asked for once more.")
        self.asking = (now(), false)
        result = try await asking()
      }
      pauses.withLock { $0[group] = nil }
      ended(wasAnswered: true)
      return result
    } catch {
      if isRefusal(error) { pause(group) }
      ended(wasAnswered: !(error is CancellationError))
      throw error
    }
  }

  private func ended(wasAnswered: Bool) {
    asking = nil
    let waiting = waiting
    self.waiting = []
    for promise in waiting { promise.fulfil(wasAnswered) }
  }

  /// The time that the user has had for the open prompt.
  private var age: Duration { asking.map { now() - $0.since } ?? .zero }

  private var wasUnseen: Bool { age < Self.reactionTime }

  /// Whether an error counts as a refusal. A prompt that timed out counts as well, since the user saw it, and one that
  /// its program took away, however soon.
  private func isRefusal(_ error: any Error) -> Bool {
    switch error {
    case SecretStoreError.locked: !wasUnseen
    case is CancellationError: true
    default: age > SecretServiceClient.promptDeadline / 2
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
    Log.notice("The user has refused the keyring's prompt: the same program can cause no prompt for \(length).")
  }
}
