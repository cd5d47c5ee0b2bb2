import GLibBridge
import Testing

/// `ListCredentials` tells the user whose sign-ins the keyring has.
@Suite(.worlds) @GLibActor
struct StoredCredentialTests {
  private func list(_ caller: Caller) async throws -> [VariantDictionary] {
    try await caller.call("Manager.ListCredentials", [:] as VariantDictionary)
      .member(0, "credentials", as: [VariantDictionary].self)
  }

  @Test func eachAccountIsListed() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      #expect(try await list(caller).isEmpty)
      try await caller.signIn()
      try await caller.signIn(at: caller.open("Session", ["keychain_account": "work"]))
      let accounts = try await list(caller).map { $0.text("account") }
      #expect(accounts == ["default", "work"])
    }
  }

  @Test func aLockedKeyringIsNotUnlocked() async throws {
    try await World.with { world in
      let caller = try await world.signedInCaller()
      try await world.keyring.lock()
      #expect(try await refusal { try await list(caller) }.name == "Locked")
    }
  }

  @Test(.enabled(if: AppSandbox.obstacle == nil, Comment(rawValue: AppSandbox.obstacle ?? "")))
  func anAppIsListedAndMayNotList() async throws {
    try await World.with { world in
      let app = try await world.caller(app: "org.example.App")
      try await app.signIn(at: app.open("Session"))
      #expect(try await refusal { try await list(app) }.name == "AccessDenied")
      let found = try await list(try await world.caller())
      #expect(found.map { $0.text("app") } == ["org.example.App"])
    }
  }
}
