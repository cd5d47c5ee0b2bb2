// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
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
    let status = try await service.status(session)
    let refusal = status.state == .signedIn ? status.planUse.flatMap { $0.isRefused ? $0 : nil } : nil
    let tooltip = [status.summary, refusal?.text].compactMap(\.self).joined(separator: "\n")
    return PanelState(
      sentence: [status.summary, refusal?.sentence].compactMap(\.self).joined(separator: "; "),
      panel: WaybarOutput(
        text: refusal?.state.panel.text ?? Self.text(status), kind: refusal?.kind.rawValue ?? Self.kind(status),
        tooltip: tooltip),
      properties: status.json)
  }

  private static func text(_ status: SessionStatus) -> String {
    guard status.state == .signingIn else { return "" }
    if status.deviceLinkState == .waitingForBrowser { return tr("approve in the browser") }
    return status.userCode ?? "…"
  }

  /// The stages that only a sign-in in the browser has are states of their own.
  private static func kind(_ status: SessionStatus) -> String {
    switch (status.state, status.deviceLinkState) {
    case (.signingIn, .waitingForBrowser), (.signingIn, .verifying): status.deviceLinkState.rawValue
    default: status.state.rawValue
    }
  }
}
