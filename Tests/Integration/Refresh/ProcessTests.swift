// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Several processes share one credential: the server accepts each refresh token once.
@Suite(.worlds) @GLibActor
struct ProcessTests {
  private static let heldRefresh = #"[{"endpoint":"refresh","hold":true}]"#

  /// Releases the refresh when it has been asked for, and each of these processes waits for it or for the lock.
  private func release(_ world: World, _ processes: [pid_t], refreshes: Int = 1) async throws {
    try await eventually("the refresh") { try await world.sandbox.state().requests["refresh"] == refreshes }
    let locks = world.directories.runtime.appending(path: "chappie").path
    try await eventually("the lock of the slot") {
      try processes.allSatisfy { process in
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").contains { name in
          let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\(name)")
          return file?.hasPrefix(locks) == true && file?.hasSuffix(".lock") == true
        }
      }
    }
    try await world.sandbox.release()
  }

  /// The refresh comes before the token expires, or after the backend has refused it.
  @Test(arguments: [true, false])
  func oneProcessRefreshesForAll(early: Bool) async throws {
    let (world, caller) = try await World.signedIn(early ? .shortTokens : World.Plan())
    if !early { try await world.sandbox.expireAccessTokens() }
    try await world.sandbox.play(Self.heldRefresh)
    let hosts = try (0..<4).map { try world.startLibraryHost("host \($0)") }
    async let answer = caller.send("service")
    try await release(world, hosts.map(\.id) + [#require(world.service.process).id])
    #expect(try await answer.contains("service"))
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
    try await world.sandbox.play(#"[{"endpoint":"refresh","delay_ms":800}]"#)
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
  /// seconds, so each round changes it in another second.
  @Test func twoLoginsRefreshOnce() async throws {
    let (world, first) = try await World.signedIn(.shortTokens)
    let second = try await SecondLogin(world).caller()
    #expect(try await second.state() == "signed-in")
    let services = [
      try await first.connection.processID(of: "org.chappie"), try await second.connection.processID(of: "org.chappie"),
    ]
    let keyring = world.directories.data.appending(path: "keyrings/login.keyring")
    for number in 1...3 {
      let written = try FileManager.default.attributesOfItem(atPath: keyring.path)[.modificationDate] as? Date ?? .now
      try await world.sandbox.play(Self.heldRefresh)
      async let one = first.send("one")
      async let two = second.send("two")
      try await eventually("another second") { Date.now >= written + 1 }
      try await release(world, services, refreshes: number)
      #expect(try await one.contains("one"))
      #expect(try await two.contains("two"))
      #expect(try await world.sandbox.state().requests["refresh"] == number)
    }
    #expect(try await first.state() == "signed-in")
    #expect(try await second.state() == "signed-in")
    #expect(try await world.sandbox.state().liveRefreshTokens == 1)
  }
}
