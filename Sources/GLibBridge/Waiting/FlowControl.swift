/// The answer of a consumer to what it was given: whether it takes more, and when.
public enum FlowControl: Sendable {
  /// It takes more at once.
  case proceed
  /// It takes more once the task is done. This is how a slow consumer slows the sender down.
  case pause(until: Task<Void, Never>)
  /// It works on what it was given, and the task says how to go on.
  case decide(Task<FlowControl, Never>)
  /// It takes no more.
  case stop

  /// The strictest of both: a stop holds whatever the other one is, and both pauses are waited for.
  @GLibActor
  public func combined(with other: FlowControl) -> FlowControl {
    switch (self, other) {
    case (.stop, _), (_, .stop): .stop
    case (.proceed, let flow), (let flow, .proceed): flow
    case (.pause(let one), .pause(let two)):
      one == two ? self : .pause(until: Task.onGLib { _ = await (one.value, two.value) })
    case (let one, let two): .decide(Task.onGLib { await one.goesOn() ? two : .stop })
    }
  }

  /// Waits for what is to be waited for.
  ///
  /// - Returns: whether the consumer takes more.
  @GLibActor
  public func goesOn() async -> Bool {
    switch self {
    case .proceed: return true
    case .stop: return false
    case .pause(let task):
      await task.value
      return true
    case .decide(let task): return await task.value.goesOn()
    }
  }
}
