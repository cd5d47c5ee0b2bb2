// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// A state of the service that `chappie monitor` shows as a line.
@GLibActor
protocol MonitorSource: AnyObject {
  /// Finds its objects in the service, and starts the service if it does not run. Each start of the service makes new
  /// objects.
  func attach() async throws

  /// Whether the line depends on this object.
  func depends(on path: ObjectPath) -> Bool

  /// The state now.
  func state() async throws -> PanelState
}

/// The sign-in of an account, as a line of `chappie monitor`.
@GLibActor
final class SignInMonitor: MonitorSource {
  private let service: ServiceConnection
  private let account: String?
  private var session = ServiceConnection.root

  init(_ service: ServiceConnection, account: String?) {
    self.service = service
    self.account = account
  }

  func attach() async throws {
    session = try await service.session(account)
  }

  func depends(on path: ObjectPath) -> Bool { path == session }

  func state() async throws -> PanelState {
    let status = try await service.status(session)
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
}

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
    guard status.state == .signedIn else { return .quiet(status.summary, kind: "unknown") }
    if let planUse = status.planUse { return planUse.state }
    do {
      let limits = try await limits()
      // Five seconds later: the clock of the backend may differ.
      if let reset = limits.windows.compactMap(\.resetsAt).filter({ $0 > .now }).min() {
        wake(after: .seconds((reset + 5).seconds(since: .now)))
      }
      return limits.state
    } catch let error as GLibError where error.name != nil {
      wake(after: Self.pause)
      return .quiet(CommandFailure(error).message, kind: "unknown")
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

  private func wake(after delay: Duration) {
    timer = Timer(after: delay) { [weak self] in self?.onDue() }
  }
}
