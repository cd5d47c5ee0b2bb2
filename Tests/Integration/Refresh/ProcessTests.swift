// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Several processes share one credential: the server accepts each refresh token once.
@Suite(.worlds) @GLibActor
struct ProcessTests {
  private static let slowRefresh = #"[{"endpoint":"refresh","delay_ms":800}]"#

  /// The refresh comes before the token expires, or after the backend has refused it.
  @Test(arguments: [true, false])
  func oneProcessRefreshesForAll(early: Bool) async throws {
    let (world, caller) = try await World.signedIn(early ? .shortTokens : World.Plan())
    if !early { try await world.sandbox.expireAccessTokens() }
    try await world.sandbox.play(Self.slowRefresh)
    let hosts = try (0..<4).map { try world.startLibraryHost("host \($0)") }
    #expect(try await caller.send("service").contains("service"))
    for (number, host) in hosts.enumerated() {
      #expect(try await host.waitForEnd() == .exit(0), "\(host.output)")
      #expect(host.output.contains("host \(number)"))
    }
    let state = try await world.sandbox.state()
    #expect(state.requests["refresh"] == 1)
    #expect(state.liveRefreshTokens == 1)
    #expect(try await world.keyring.credentials().count == 1)
    #expect(try await caller.state() == "signed-in")
  }

  /// A refresh in another process does not restore a credential that this one removed.
  @Test func aSignOutAfterAnotherProcesssRefreshRevokesTheNewToken() async throws {
    let (world, caller) = try await World.signedIn()
    try await world.sandbox.expireAccessTokens()
    try await world.sandbox.play(Self.slowRefresh)
    let host = try world.startLibraryHost("host")
    try await eventually("the host's refresh") { try await world.sandbox.state().requests["refresh"] == 1 }
    try await caller.call("Session.SignOut")
    #expect(try await caller.state() == "signed-out")
    // Its own request may come before the revocation, or after it.
    _ = try await host.waitForEnd()
    #expect(try await world.keyring.credentials().isEmpty)
    // It revokes the token that the other process received.
    try await eventually("the revocation") { try await world.sandbox.state().liveRefreshTokens == 0 }
    let before = try await world.sandbox.state().requests["refresh"]
    let late = try world.startLibraryHost("host")
    #expect(try await late.waitForEnd() == .exit(1))
    #expect(late.output.contains("sign in"))
    #expect(try await world.sandbox.state().requests["refresh"] == before)
  }

  /// Two services on two buses. The daemons of gnome-keyring share their files and notice a change by its time in
  /// seconds, so each round gives the file an earlier time first.
  @Test func twoLoginsRefreshOnce() async throws {
    let (world, first) = try await World.signedIn(.shortTokens)
    let second = try await SecondLogin(world).caller()
    #expect(try await second.state() == "signed-in")
    let keyring = world.directories.data.appending(path: "keyrings/login.keyring")
    for number in 1...3 {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: Double(number))], ofItemAtPath: keyring.path)
      try await world.sandbox.play(Self.slowRefresh)
      async let one = first.send("one")
      async let two = second.send("two")
      #expect(try await one.contains("one"))
      #expect(try await two.contains("two"))
      #expect(try await world.sandbox.state().requests["refresh"] == number)
    }
    #expect(try await first.state() == "signed-in")
    #expect(try await second.state() == "signed-in")
    #expect(try await world.sandbox.state().liveRefreshTokens == 1)
  }
}
