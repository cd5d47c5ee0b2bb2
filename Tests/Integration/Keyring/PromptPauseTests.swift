// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// No program can cover the screen with the keyring's prompts.
@Suite(.worlds, .sandboxes)
@GLibActor
struct PromptPauseTests {
  private static let app = "org.example.App"

  /// The number of interactive calls out of `count` that are answered with `Locked`.
  private func askManyTimes(_ count: Int, _ caller: Caller, at client: ObjectPath) async -> Int {
    let calls = (0..<count).map { _ in
      Task { @GLibActor in
        do {
          try await caller.call("Client.Send", "hi", VariantDictionary(), at: client, interactive: true)
        } catch let error as GLibError {
          return ErrorReply(error).name == "Locked"
        } catch {}
        return false
      }
    }
    var locked = 0
    for call in calls where await call.value { locked += 1 }
    return locked
  }

  @Test func anAppWhosePromptWasDismissedMayNotAskAgain() async throws {
    try await World.with(.fakeKeyring) { world in
      let keyring = try await FakeKeyring(in: world)
      _ = try await world.signedInCaller()
      keyring.setLocked(true)
      keyring.user = .dismisses
      let app = try await world.caller(app: Self.app)
      // The calls come from several connections of the same app.
      let again = try await world.caller(app: Self.app)
      let client = try await app.open("Client")
      #expect(await askManyTimes(25, app, at: client) == 25)
      #expect(await askManyTimes(25, again, at: try again.open("Client")) == 25)
      #expect(keyring.questions == 1)
      // Another app has a prompt of its own.
      let other = try await world.caller(app: "org.example.Widget")
      #expect(await askManyTimes(25, other, at: try other.open("Client")) == 25)
      #expect(keyring.questions == 2)
    }
  }
}
