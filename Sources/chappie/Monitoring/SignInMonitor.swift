import GLibBridge

/// The sign-in of an account, as a line of `chappie monitor`.
@GLibActor
final class SignInMonitor: MonitorSource {
  private let service: ServiceConnection
  private let account: String?
  private let json: Bool
  private var session = ServiceConnection.root

  init(_ service: ServiceConnection, account: String?, json: Bool) {
    self.service = service
    self.account = account
    self.json = json
  }

  func attach() async throws {
    session = try await service.session(account)
  }

  func depends(on path: ObjectPath) -> Bool { path == session }

  func line() async throws -> String {
    let status = try SessionStatus(try await service.properties(session, "Session"))
    guard json else { return status.summary }
    var object = WaybarOutput(
      text: status.state == "signing-in" ? status.userCode ?? "…" : "", kind: status.state, tooltip: status.summary
    ).json
    object.append(status.json)
    return object.line
  }

  var unavailable: String { WaybarOutput.unavailable(json: json) }
}
