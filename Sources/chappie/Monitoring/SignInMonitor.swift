import GLibBridge

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
    let text = status.state == "signing-in" ? status.userCode ?? "…" : ""
    return PanelState(
      sentence: status.summary, panel: WaybarOutput(text: text, kind: status.state, tooltip: status.summary),
      properties: status.json)
  }
}
