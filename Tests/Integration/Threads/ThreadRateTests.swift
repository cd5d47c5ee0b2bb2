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
      let clock = ContinuousClock()
      let start = clock.now
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
      let seconds = Int((clock.now - start) / .seconds(1)) + 1
      #expect(begun >= 60 && begun <= 60 + seconds)
      #expect(refused == 150 - begun)
      _ = try await outside.createThread()
    }
  }

  /// Each account with threads has a key in the keyring.
  @Test func accountsWithThreadsAreLimited() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      var directory: URL?
      for number in 0..<3 {
        let client = try await caller.open("Client", ["keychain_account": "account-\(number)"])
        _ = try await caller.createThread(at: client)
        let threads = world.directories.home.appending(path: ".local/share/chappie/threads")
        let apps = try FileManager.default.contentsOfDirectory(atPath: threads.path).filter { !$0.contains(".") }
        directory = apps.first.map { threads.appending(path: $0) }
      }
      let app = try #require(directory)
      for number in 0..<61 {
        try FileManager.default.createDirectory(
          at: app.appending(path: "other-\(number)"), withIntermediateDirectories: true)
      }
      let client = try await caller.open("Client", ["keychain_account": "one-more"])
      try await expectRefusal("LimitExceeded") { try await caller.createThread(at: client) }
      let known = try await caller.open("Client", ["keychain_account": "account-1"])
      _ = try await caller.createThread(at: known)
    }
  }
}
