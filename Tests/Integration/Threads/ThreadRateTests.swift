// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// An app cannot fill the disk and the keyring with empty threads.
@Suite(.worlds, .sandboxes)
@GLibActor
struct ThreadRateTests {
  @Test func creatingThreadsIsRateLimited() async throws {
    try await World.signedIn { world, outside in
      let app = try await world.caller(app: "org.example.App")
      let again = try await world.caller(app: "org.example.App")
      let clients = [(app, try await app.open("Client")), (again, try await again.open("Client"))]
      var begun = 0
      var refused = 0
      for number in 0..<150 {
        let (caller, client) = clients[number % 2]
        do {
          _ = try await caller.createThread(at: client)
          begun += 1
        } catch let error as GLibError {
          #expect(ErrorReply(error).name == "LimitExceeded")
          refused += 1
        }
      }
      #expect(begun >= 60 && refused > 0)
      _ = try await outside.createThread()
    }
  }

  /// Each account with threads has a key in the keyring.
  @Test func accountsWithThreadsAreLimited() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      let known = try await caller.open("Client", ["keychain_account": "known"])
      _ = try await caller.createThread(at: known)
      let threads = world.directories.data.appending(path: "chappie/threads")
      let apps = try FileManager.default.contentsOfDirectory(atPath: threads.path).filter { !$0.contains(".") }
      let app = threads.appending(path: try #require(apps.first))
      for number in 0..<63 {
        try FileManager.default.createDirectory(
          at: app.appending(path: "other-\(number)"), withIntermediateDirectories: true)
      }
      let client = try await caller.open("Client", ["keychain_account": "one-more"])
      try await expectRefusal("LimitExceeded") { try await caller.createThread(at: client) }
      _ = try await caller.createThread(at: known)
    }
  }
}
