/// A value that somebody else brings, once, to one who waits for it.
@GLibActor
public final class Promise<Value: Sendable> {
  private let wait = Wait()
  private var outcome: Value?

  public init() {}

  public var isFulfilled: Bool { outcome != nil }

  /// Brings the value. A second one changes nothing.
  public func fulfil(_ value: Value) {
    guard outcome == nil else { return }
    outcome = value
    wait.finish()
  }

  /// Waits for the value.
  ///
  /// - Throws: `CancellationError`.
  public func value() async throws -> Value {
    await wait.valueOrCancelled()
    guard let outcome else { throw CancellationError() }
    return outcome
  }
}
