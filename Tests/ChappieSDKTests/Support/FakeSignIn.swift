import GLibBridge

@testable import ChappieSDK

/// A sign-in method with the behaviour that a test sets.
@GLibActor
final class FakeSignIn: SignInMethod {
  typealias Progress = @GLibActor (SignInProgress) -> Void

  nonisolated let identifier = "fake"
  nonisolated let servers = CredentialServers.test
  nonisolated let responsesURL = "https://backend.example/codex/responses"
  nonisolated let modelsURL = "https://backend.example/codex/models"
  nonisolated let usageURL = "https://backend.example/wham/usage"

  /// The refresh. By default it returns a credential named `new`.
  var onRefresh: @GLibActor (Credential) async throws -> Credential = { _ in .test("new") }
  /// The sign-in. By default it returns a credential named `signed-in`.
  var onSignIn: @GLibActor (@escaping Progress) async throws -> Credential = { progress in
    progress(.waitingForApproval(FakeSignIn.code("CODE-1")))
    return .test("signed-in", account: "bob")
  }
  /// The names of the credentials in the requests for a refresh and for a revocation.
  private(set) var refreshed: [String] = []
  private(set) var revoked: [String] = []
  private(set) var signIns = 0
  private var revocation = Wait()

  init() {}

  nonisolated static func code(_ text: String) -> ChappieDeviceCode {
    ChappieDeviceCode(userCode: text, verificationURI: "https://issuer.example/device", expiresAt: 1)
  }

  func signIn(progress: @escaping Progress) async throws -> Credential {
    signIns += 1
    return try await onSignIn(progress)
  }

  func refresh(_ credential: Credential) async throws -> Credential {
    refreshed.append(credential.name)
    return try await onRefresh(credential)
  }

  /// The error of a revocation; nil for success.
  var revocationError: ChappieAuthError?

  func revoke(_ credential: Credential) async throws {
    revoked.append(credential.name)
    revocation.finish()
    if let revocationError { throw revocationError }
  }

  /// Waits for the first revocation, because a sign-in or sign-out does not.
  func revocationRequested() async {
    await revocation.value()
  }

  nonisolated func authorize(_ request: inout HTTPRequest, with grant: AccessGrant) {}
}
