// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// The usage of the plan, as a line of `chappie monitor`.
///
/// The service reports each change. The backend is asked if the limits are unknown, and when a window is reset: no
/// signal reports a reset.
@GLibActor
final class UsageMonitor: MonitorSource {
  /// The shortest time between two requests to the backend.
  private static let pause = Duration.seconds(300)

  private let service: ServiceConnection
  private let account: String?
  private let onDue: @GLibActor () -> Void
  private var session = ServiceConnection.root
  private var client = ServiceConnection.root
  private var timer: Timer?
  /// The time of the last request to the backend.
  private var asked: ContinuousClock.Instant?

  /// - Parameter onDue: called when time alone may have changed the line.
  init(_ service: ServiceConnection, account: String?, onDue: @escaping @GLibActor () -> Void) {
    self.service = service
    self.account = account
    self.onDue = onDue
  }

  func attach() async throws {
    session = try await service.session(account)
    client = try await service.openClient(account)
  }

  func depends(on path: ObjectPath) -> Bool { path == session || path == client }

  func state() async throws -> PanelState {
    timer?.cancel()
    let status = try await service.status(session)
    guard status.state == .signedIn else { return message(status.summary) }
    if let planUse = status.planUse { return planUse.state }
    do {
      let limits = try await limits()
      wake(at: limits.windows.compactMap(\.resetsAt).filter { $0 > .now }.min())
      return limits.state
    } catch let error as GLibError where error.name != nil {
      wake(after: Self.pause)
      return message(CommandFailure(error).message)
    }
  }

  private func limits() async throws -> UsageLimits {
    let known = try UsageLimits(try await service.properties(client, "Client").value("UsageLimits") ?? [:])
    let ended = known.windows.contains { ($0.resetsAt ?? .distantFuture) <= .now }
    let mayAsk = asked.map { .now - $0 >= Self.pause } ?? true
    guard known.isEmpty || ended && mayAsk else { return known }
    asked = .now
    return try UsageLimits(try await service.call(client, "Client", "GetUsageLimits", timeout: nil).member(0, "limits"))
  }

  private func message(_ sentence: String) -> PanelState {
    let sentence = sentence.terminalSafeLine
    return PanelState(sentence: sentence, panel: WaybarOutput(text: "", kind: "unknown", tooltip: sentence))
  }

  // MARK: Time

  private func wake(at time: Timestamp?) {
    guard let time else { return }
    // Five seconds later: the clock of the backend may differ.
    wake(after: .seconds((time + 5).seconds(since: .now)))
  }

  private func wake(after delay: Duration) {
    timer = Timer(after: delay) { [weak self] in self?.onDue() }
  }
}
