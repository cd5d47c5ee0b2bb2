// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// What `chappie monitor` shows as a line: the sign-in of an account, or the usage of its plan.
///
/// The service reports each change of the usage. The backend is asked if the limits are unknown, and when a window is
/// reset: no signal reports a reset.
@GLibActor
final class MonitorSource {
  /// The shortest time between two requests to the backend.
  private static let pause = Duration.seconds(300)

  private let service: ServiceConnection
  private let account: String?
  private let isUsage: Bool
  private let onDue: @GLibActor () -> Void
  private var session = ServiceConnection.root
  /// Known only for the usage.
  private var client: ObjectPath?
  private var timer: Timer?
  /// The time of the last request to the backend.
  private var asked: ContinuousClock.Instant?

  /// - Parameters:
  ///   - isUsage: whether it is the usage, not the sign-in.
  ///   - onDue: called when time alone may have changed the line.
  init(_ service: ServiceConnection, account: String?, isUsage: Bool, onDue: @escaping @GLibActor () -> Void) {
    self.service = service
    self.account = account
    self.isUsage = isUsage
    self.onDue = onDue
  }

  /// Finds its objects in the service, and starts the service if it does not run. Each start of the service makes new
  /// objects.
  func attach() async throws {
    session = try await service.session(account)
    if isUsage { client = try await service.openClient(account) }
  }

  /// Whether the line depends on this object.
  func depends(on path: ObjectPath) -> Bool { path == session || path == client }

  /// The state now.
  func state() async throws -> PanelState {
    timer?.cancel()
    let status = try await service.status(session)
    return isUsage ? try await usage(status) : signIn(status)
  }

  private func signIn(_ status: SessionStatus) -> PanelState {
    let refusal = status.state == .signedIn ? status.planUse.flatMap { $0.isRefused ? $0 : nil } : nil
    let tooltip = [status.summary, refusal?.text].compactMap(\.self).joined(separator: "\n")
    return PanelState(
      sentence: [status.summary, refusal?.sentence].compactMap(\.self).joined(separator: "; "),
      text: refusal?.state.text ?? Self.text(status), kind: refusal?.kind.rawValue ?? Self.kind(status),
      tooltip: tooltip, properties: status.json)
  }

  private static func text(_ status: SessionStatus) -> String {
    guard status.state == .signingIn else { return "" }
    if status.deviceLinkState == .waitingForBrowser { return tr("approve in the browser") }
    return status.code ?? "…"
  }

  /// The stages that only a sign-in in the browser has are states of their own.
  private static func kind(_ status: SessionStatus) -> String {
    switch (status.state, status.deviceLinkState) {
    case (.signingIn, .waitingForBrowser), (.signingIn, .verifying): status.deviceLinkState.rawValue
    default: status.state.rawValue
    }
  }

  // MARK: The usage

  private func usage(_ status: SessionStatus) async throws -> PanelState {
    guard status.state == .signedIn else { return .quiet(status.summary, kind: "unknown") }
    if let planUse = status.planUse { return planUse.state }
    do {
      let limits = try await limits()
      // Five seconds later: the clock of the backend may differ. The timer stands still while the machine sleeps, so no
      // wait is long; after an end the backend may not be asked yet.
      if let reset = limits.windows.compactMap(\.resetsAt).min() {
        let rest = (reset + 5).seconds(since: .now)
        wake(after: rest > 0 ? min(.seconds(rest), Self.pause) : Self.pause)
      }
      return limits.state
    } catch let error as GLibError where error.name != nil {
      wake(after: Self.pause)
      return .quiet(CommandFailure(error).message, kind: "unknown")
    }
  }

  private func limits() async throws -> UsageLimits {
    let client = client ?? ServiceConnection.root
    let known = try UsageLimits(try await service.properties(client, "Client").value("UsageLimits") ?? [:])
    let ended = known.windows.contains { ($0.resetsAt ?? .distantFuture) <= .now }
    let mayAsk = asked.map { .now - $0 >= Self.pause } ?? true
    guard known.isEmpty || ended && mayAsk else { return known }
    asked = .now
    return try UsageLimits(try await service.call(client, "Client", "GetUsageLimits", timeout: nil).member(0, "limits"))
  }

  private func wake(after delay: Duration) {
    timer = Timer(after: delay) { [weak self] in self?.onDue() }
  }
}
