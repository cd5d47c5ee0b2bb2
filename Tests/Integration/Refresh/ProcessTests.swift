import Foundation
import GLibBridge
import Glibc
import Testing

/// Several processes with one credential: the server takes each refresh token once.
@Suite(.worlds) @GLibActor
struct ProcessTests {
  private static let slowRefresh = #"[{"endpoint":"refresh","delay_ms":800}]"#

  /// Renewed before its time, and after the backend has refused it.
  @Test(arguments: [true, false])
  func refreshOnceForAll(early: Bool) async throws {
    try await World.with(early ? .shortTokens : World.Plan()) { world in
      let caller = try await world.signedInCaller()
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
  }

  /// The kernel lets go of a dead process's lock.
  @Test func doNotWaitForADeadOne() async throws {
    let plan = World.Plan(sandboxArguments: ["--auto-approve", "--rate", "0", "--refresh-grace"])
    try await World.with(plan) { world in
      let caller = try await world.signedInCaller()
      _ = try await caller.slugs()
      try await world.sandbox.expireAccessTokens()
      try await world.sandbox.play(#"[{"endpoint":"refresh","delay_ms":60000}]"#)
      let host = try world.startLibraryHost("host")
      try await eventually("the host's refresh") { try await world.sandbox.state().requests["refresh"] == 1 }
      async let answer = caller.send("service")
      try await eventually("the service's 401") { try await world.sandbox.state().requests["handshake"] == 1 }
      host.send(SIGKILL)
      #expect(try await answer.contains("service"))
      #expect(try await world.sandbox.state().requests["refresh"] == 2)
      #expect(try await caller.state() == "signed-in")
    }
  }

  /// A refresh elsewhere does not bring back what is removed here.
  @Test func signOutAfterARefreshElsewhere() async throws {
    try await World.with { world in
      let caller = try await world.signedInCaller()
      try await world.sandbox.expireAccessTokens()
      try await world.sandbox.play(Self.slowRefresh)
      let host = try world.startLibraryHost("host")
      try await eventually("the host's refresh") { try await world.sandbox.state().requests["refresh"] == 1 }
      try await caller.call("Session.SignOut")
      #expect(try await caller.state() == "signed-out")
      #expect(try await host.waitForEnd() == .exit(0), "\(host.output)")
      #expect(try await world.keyring.credentials().isEmpty)
      // It revokes what the other process was given.
      try await eventually("the revocation") { try await world.sandbox.state().liveRefreshTokens == 0 }
    }
  }

  @Test func signOutBeforeARefreshElsewhere() async throws {
    try await World.with { world in
      let caller = try await world.signedInCaller()
      try await caller.call("Session.SignOut")
      let host = try world.startLibraryHost("host")
      #expect(try await host.waitForEnd() == .exit(1))
      #expect(host.output.contains("sign in"))
      #expect(try await world.sandbox.state().requests["refresh"] == 0)
    }
  }

  // MARK: Two logins

  /// Two services on two buses. gnome-keyring's daemons share their files, and see that one has changed by the second
  /// of its time: what happens within one second in two of them is not for this test.
  @Test func refreshOnceForTwoLogins() async throws {
    try await World.with(.shortTokens) { world in
      let first = try await world.signedInCaller()
      let second = try await SecondLogin(world).caller()
      #expect(try await second.state() == "signed-in")
      for number in 1...3 {
        try await sleep(for: .milliseconds(1100))
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
}
