// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// One store under both accessibilities: each applies to the programs that have chosen it.
@Suite(.worlds) @GLibActor
struct ThreadRuleTests {
  @Test(arguments: ["screen", "keyring"])
  func anAfterFirstUnlockKeyOpensNothingForOtherPrograms(_ lock: String) async throws {
    try await World.with { world in
      let saver = try await ScreenSaver(ScreenSaver.gnome, in: world)
      let caller = try await world.caller()
      let client = try await caller.open("Client", ["keychain_accessibility": Accessibility.afterFirstUnlock.rawValue])
      let thread = try await caller.createThread("One")
      // The programs run in turn: neither removes the other's key.
      for path in [client, .chappie, client, .chappie] { #expect(try await caller.threadIDs(at: path) == [thread]) }
      if lock == "screen" { saver.setActive(true) } else { try await world.keyring.lock() }
      try await caller.waitFor(Lock("locked", [lock == "screen" ? saver.name : "keyring"]))
      for _ in 1...2 {
        #expect(try await caller.thread(thread, at: client).summary.title == "One")
        try await expectRefusal("Locked") { try await caller.thread(thread) }
        try await expectRefusal("Locked") { try await caller.threads() }
      }
      if lock == "screen" { saver.setActive(false) } else { try await world.keyring.unlock() }
      try await caller.waitFor(Lock("unlocked", [saver.name, "keyring"]))
      for path in [client, .chappie] { #expect(try await caller.threadIDs(at: path) == [thread]) }
    }
  }
}
