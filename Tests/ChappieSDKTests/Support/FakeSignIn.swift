// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

/// A sign-in method with the behaviour that a test sets.
@GLibActor
final class FakeSignIn: SignInMethod {
  typealias Progress = @GLibActor (SignInProgress) -> Void

  nonisolated let kind: ChappieSignInMethod
  nonisolated let redeemsOnce: Bool
  nonisolated let servers = CredentialServers.test
  nonisolated let backend = BackendProfile.test
  /// The clock of the issuer, which the slot's fixture sets.
  var clock = IssuerClock()

  /// The refresh. By default it returns a credential named `new`.
  var onRefresh: @GLibActor (Credential) async throws -> Credential = { _ in .test("new") }
  /// The sign-in. By default it returns a credential named `signed-in`.
  var onSignIn: @GLibActor (@escaping Progress) async throws -> Credential = { progress in
    progress(.waiting(.showCode(FakeSignIn.code("CODE-1"))))
    return .test("signed-in", account: "bob")
  }
  /// Lets a sign-in show a code, `CODE-1`, `CODE-2`, …, and end as `end` does.
  func onCode(_ end: @escaping @GLibActor () async throws -> Credential) {
    onSignIn = { [unowned self] progress in
      progress(.waiting(.showCode(FakeSignIn.code("CODE-\(signIns)"))))
      return try await end()
    }
  }

  /// The names of the credentials in the requests for a refresh and for a revocation.
  private(set) var refreshed: [String] = []
  private(set) var revoked: [String] = []
  private(set) var signIns = 0
  private(set) var requests: [SignInRequest] = []
  private var revocation = Wait()

  init(_ kind: ChappieSignInMethod = .deviceCode, redeemsOnce: Bool = false) {
    self.kind = kind
    self.redeemsOnce = redeemsOnce
  }

  nonisolated static func code(_ text: String) -> ChappieDeviceCode {
    ChappieDeviceCode(
      userCode: text, verificationURI: .init(address: "https://issuer.example/device"), expiresAt: .init(unixSeconds: 1)
    )
  }

  func signIn(_ request: SignInRequest, progress: @escaping Progress) async throws -> Credential {
    signIns += 1
    requests.append(request)
    let credential = try await onSignIn(progress)
    return try await request.custody.issue { [self] in
      await onIssue()
      return (credential, credential)
    }
  }

  /// What happens while the server issues the tokens of a sign-in.
  var onIssue: @GLibActor () async -> Void = {}

  /// What a refresh needs before. By default it is there.
  var onPrepareRefresh: @GLibActor () async throws -> Void = {}

  func prepareRefresh() async throws { try await onPrepareRefresh() }

  /// The answer to a question for the time. By default it is that of this machine.
  var onAskTime: @GLibActor (IssuerClock) async throws -> Void = { $0.note(.now) }

  func askTime() async throws { try await onAskTime(clock) }

  func refresh(_ credential: Credential) async throws -> Credential {
    refreshed.append(credential.name)
    return try await onRefresh(credential)
  }

  /// What happens while the server revokes a sign-in.
  var onRevoke: @GLibActor () async -> Void = {}
  /// The error of a revocation; nil for success.
  var revocationError: ChappieAuthError?

  func revoke(_ credential: Credential) async throws {
    revoked.append(credential.name)
    await onRevoke()
    revocation.finish()
    if let revocationError { throw revocationError }
  }

  /// The revoked credentials after the first revocation, for which a sign-in or sign-out does not wait.
  func revocations() async -> [String] {
    await revocation.value()
    return revoked
  }

  /// The times before which the server refuses a refresh, and at which an unused sign-in is renewed. All readers are on
  /// this actor.
  nonisolated(unsafe) var earliestRefresh: Timestamp?
  nonisolated(unsafe) var keepAliveAt: Timestamp?

  nonisolated func facts(of credential: Credential) -> CredentialFacts {
    var facts = credential.claimedFacts
    facts.validity.earliestRefresh = earliestRefresh
    facts.validity.keepAliveAt = keepAliveAt
    return facts
  }
}

extension BackendProfile {
  static let test = BackendProfile(
    responsesURL: "https://backend.example/codex/responses", modelsURL: "https://backend.example/codex/models",
    usageURL: "https://backend.example/wham/usage", manageUsageURL: nil, clientHeaders: [], threadHeaders: [],
    hasWebSocket: true, takesCompression: true, hasLiteForm: true, servesListedModels: false,
    needsBackgroundConsent: false)
}

extension AccessGrant {
  /// The grant of a credential, for ``BackendProfile/test``.
  @GLibActor
  init(_ credential: Credential) { self.init(FakeSignIn(), credential) }
}

@GLibActor
extension SignInRequest {
  /// A request without wishes, for an empty slot.
  static var plain: SignInRequest { keeping(FakeCustody()) }

  static func keeping(_ custody: FakeCustody) -> SignInRequest {
    SignInRequest(replaced: nil, options: SignInOptions(applicationName: "Tests"), custody: custody)
  }
}

/// Keeps in memory what a sign-in is issued.
@GLibActor
final class FakeCustody: SignInCustody {
  private(set) var kept: [Credential] = []

  func issue<Answer: Sendable>(
    _ ask: @escaping @GLibActor @Sendable () async throws -> (Credential, Answer)
  ) async throws -> Answer {
    let (credential, answer) = try await ask()
    kept.append(credential)
    return answer
  }
}
