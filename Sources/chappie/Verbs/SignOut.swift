import GLibBridge

/// `chappie sign-out`.
struct SignOut: Verb {
  static let name = "sign-out"
  static let summary = "Remove the stored sign-in and revoke it"

  let account: String?

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    return { SignOut(account: $0[account]) }
  }

  func run(_ service: Service) async throws -> ExitStatus {
    try await service.call(try await service.session(account), "Session", "SignOut", timeout: nil)
    StandardStream.output.write("Signed out.\n")
    return .success
  }
}
