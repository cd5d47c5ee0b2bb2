/// A value that is provided once, by another task. Use ``Wait`` for an event without a value.
@GLibActor
public final class Promise<Value: Sendable> {
  private let wait = Wait()
  private var outcome: Value?

  public init() {}

  public var isFulfilled: Bool { outcome != nil }

  /// Provides the value. Later calls have no effect.
  public func fulfil(_ value: Value) {
    guard outcome == nil else { return }
    outcome = value
    wait.finish()
  }

  /// Waits for the value. Only one task may wait.
  ///
  /// - Throws: `CancellationError`.
  public func value() async throws -> Value {
    await wait.valueOrCancelled()
    guard let outcome else { throw CancellationError() }
    return outcome
  }
}
