import GLibBridge
import Platform

/// `chappie sign-out`: removes the stored credential and revokes it.
struct SignOut: Verb {
  static let name = "sign-out"
  static let summary = tr("Remove the stored sign-in and revoke it")

  let account: String?

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    return { SignOut(account: $0[account]) }
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    let session = try await service.session(account)
    try await service.call(session, "Session", "SignOut", timeout: nil)
    let status = try SessionStatus(try await service.properties(session, "Session"))
    if let name = status.errorName, ExitStatus(errorName: name) == .notRevoked {
      throw CommandFailure(busName: name, message: status.errorMessage ?? "")
    }
    StandardStream.output.write(tr("Signed out.") + "\n")
    return .success
  }
}
