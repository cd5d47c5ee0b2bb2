import GLibBridge
import Platform

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
    let status = try SessionStatus(try await service.properties(session, "Session"))
    let refusal = status.state == "signed-in" ? status.planUse.flatMap { $0.isRefused ? $0 : nil } : nil
    let tooltip = [status.summary, refusal?.text].compactMap(\.self).joined(separator: "\n")
    return PanelState(
      sentence: [status.summary, refusal?.sentence].compactMap(\.self).joined(separator: "; "),
      panel: WaybarOutput(
        text: refusal?.state.panel.text ?? Self.text(status), kind: refusal?.kind.rawValue ?? Self.kind(status),
        tooltip: tooltip),
      properties: status.json)
  }

  private static func text(_ status: SessionStatus) -> String {
    guard status.state == "signing-in" else { return "" }
    if status.deviceLinkState == "waiting-for-browser" { return tr("approve in the browser") }
    return status.userCode ?? "…"
  }

  /// The stages that only a sign-in in the browser has are states of their own.
  private static func kind(_ status: SessionStatus) -> String {
    switch (status.state, status.deviceLinkState) {
    case ("signing-in", "waiting-for-browser"), ("signing-in", "verifying"): status.deviceLinkState
    default: status.state
    }
  }
}
