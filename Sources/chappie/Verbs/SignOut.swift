// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// `chappie sign-out`: removes the stored credential and revokes it.
struct SignOut: Verb {
  static let name = "sign-out"
  static let summary = tr("Remove the stored sign-in and revoke it")

  /// Nil for the user's own sign-in.
  let app: String?
  let account: String?

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    let app = parser.app(tr("Sign this application out, all accounts that it has without --account"))
    return { SignOut(app: $0[app], account: $0[account]) }
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    if let app { return try await signOut(app, service) }
    let session = try await service.session(account)
    try await service.call(session, "Session", "SignOut", timeout: nil)
    let status = try await service.status(session)
    if let name = status.errorName, ExitStatus(errorName: name) == .notRevoked {
      throw CommandFailure(busName: name, message: status.errorMessage ?? "")
    }
    StandardStream.output.write(tr("Signed out.") + "\n")
    return .success
  }

  @GLibActor
  private func signOut(_ app: String, _ service: ServiceConnection) async throws -> ExitStatus {
    var options = VariantDictionary()
    options.set("account", account)
    do {
      let reply = try await service.call(
        ServiceConnection.root, "Manager", "SignOutApplication", .tuple(app, options), timeout: nil)
      let parts = try reply.member(0, "signed_out", as: [VariantDictionary].self).map(ErasedPart.init)
      for part in parts { part.report() }
      return ErasedPart.status(of: parts)
    } catch let error as GLibError where error.name == .invalidArgument {
      throw CommandFailure(
        .failed, tr("There is no such sign-in of \(app): chappie accounts lists those that there are."),
        name: error.busName)
    }
  }
}
