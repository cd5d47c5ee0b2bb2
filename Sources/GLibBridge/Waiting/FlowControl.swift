// SPDX-License-Identifier: Apache-2.0

/// A consumer's reply to data: whether and when it accepts more.
public enum FlowControl: Sendable {
  /// It accepts more at once.
  case proceed
  /// It accepts more after the task has ended. This creates back-pressure on the sender.
  case pause(until: Task<Void, Never>)
  /// It is still processing the data. The result of the task tells how to continue.
  case decide(Task<FlowControl, Never>)
  /// It accepts no more.
  case stop

  /// The stricter of both values. A stop wins, and both pauses are awaited.
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

  /// Waits for the end of the pause, if any, or until the waiting task is cancelled.
  ///
  /// - Returns: whether the consumer accepts more; true for a cancelled task, which finds out by its next step.
  @GLibActor
  public func goesOn() async -> Bool {
    switch self {
    case .proceed: return true
    case .stop: return false
    case .pause(let task):
      try? await task.untilEnded()
      return true
    case .decide(let task):
      guard (try? await task.untilEnded()) != nil else { return true }
      return await task.value.goesOn()
    }
  }
}
