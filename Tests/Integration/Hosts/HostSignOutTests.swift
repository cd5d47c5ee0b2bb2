// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// A program signs out and then ends.
@Suite(.worlds) @GLibActor
struct HostSignOutTests {
  @Test func theAccountIsSignedOutWhenTheProgramHasEnded() async throws {
    try await World.signedIn { world, caller in
      try await world.keyring.lock()
      let locked = try world.startLibraryHost("sign-out", "now")
      #expect(try await locked.waitForEnd() == .exit(0))
      #expect(locked.output == "signed-in The keyring is locked: unlock it and try again.\n")
      try await world.keyring.unlock()
      #expect(try await world.keyring.credentials().count == 1)

      // The program waits for a silent keyring no longer than the documentation of `signOut()` says.
      world.keyring.freeze()
      let blocked = try world.startLibraryHost("sign-out", "blocking")
      #expect(try await blocked.waitForEnd() == .exit(0))
      #expect(!blocked.output.hasPrefix("signed-out"), "\(blocked.output)")
      #expect(blocked.output.contains("keyring"), "\(blocked.output)")
      world.keyring.thaw()
      #expect(try await world.keyring.credentials().count == 1)

      let host = try world.startLibraryHost("sign-out", "now")
      #expect(try await host.waitForEnd() == .exit(0))
      #expect(host.output == "signed-out \n")
      #expect(try await world.keyring.credentials().isEmpty)
      try await caller.waitFor("signed-out")
    }
  }

  /// The user signs a program out that is not the service's, and its own session tells it.
  @Test func theUserSignsAProgramOut() async throws {
    try await World.signedIn { world, caller in
      let id = "org.example.Host"
      let host = try world.startLibraryHost("sign-in", "", as: id)
      #expect(try await host.waitForEnd() == .exit(0), "\(host.output)")
      let watching = try world.startLibraryHost("watch", "now", as: id)
      try await eventually("the first state") { watching.output.contains("signed-in") }
      let listed = try await world.chappie("accounts", "--json").text
      #expect(listed.contains(#"{"app":"\#(id)","account":"default","state":"signed-in","method":"device-code"}"#))
      #expect(try await world.chappie("sign-out", "--app", id).text == "Signed out “default” of \(id).\n")
      try await eventually("the last state") { watching.output.contains("signed-out") }
      #expect(try await caller.state() == "signed-in")
      #expect(try await world.sandbox.state().liveRefreshTokens == 1)
    }
  }
}
