// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

/// A credential is used only with the servers that it was made for.
@GLibActor
struct SlotServersTests {
  private nonisolated static let others = [
    CredentialServers(issuer: "https://other.example", backend: CredentialServers.test.backend),
    CredentialServers(issuer: CredentialServers.test.issuer, backend: "https://other.example"),
  ]

  @Test(arguments: others)
  func credentialForOtherServersIsNeitherUsedNorRevoked(_ servers: CredentialServers) async throws {
    let fixture = SlotFixture(.credential(.test("old", servers: servers)))
    await fixture.slot.restore()
    #expect(fixture.slot.state.state == .signedOut)
    #expect(fixture.slot.state.lastError == .unusable(Credential.otherServers))
    await #expect(throws: CredentialError.missing) { try await fixture.slot.accessGrant() }
    let old = AccessGrant(.test("old", servers: servers))
    await #expect(throws: CredentialError.missing) {
      try await fixture.slot.accessGrant(insteadOf: old)
    }
    #expect(fixture.method.refreshed.isEmpty)
    #expect(fixture.store.stored == "old", "the credential is kept for its own servers")
    try await fixture.slot.signOut(interaction: .forbidden).value
    #expect(fixture.store.stored == nil)
    #expect(fixture.method.revoked.isEmpty)
  }

  @Test func newSignInReplacesTheCredential() async {
    let fixture = SlotFixture(.credential(.test("old", servers: Self.others[0])))
    await fixture.signIn()
    #expect(fixture.slot.state.state == .signedIn)
    #expect(fixture.store.stored == "signed-in")
    #expect(fixture.slot.state.lastError == nil)
    for _ in 0..<100 { await Task.yield() }
    #expect(fixture.method.revoked.isEmpty)
  }
}
