// SPDX-License-Identifier: Apache-2.0
import Glibc

@testable import ChappieSDKRuntime

/// A store never writes through a link that took the place of one of its files.
struct LinkedFileTests {
  private let world = FileStoreWorld()
  private let precious = Array("A letter that took a year to write.".utf8)

  /// The file that a write through the link would change.
  static let files = ["threads.db", "threads.db-wal", "threads.db-shm", "threads.db-journal"]
  static let names = files + ["threads.db.deleted", "CACHEDIR.TAG", ".nobackup"]

  /// Uses a store in each way. Some may fail.
  private func use(_ store: ChappieFileThreadStore) async {
    for access in store.writes + store.reads {
      do {
        try await access()
      } catch is ChappieThreadStoreError {
      } catch {
        Issue.record("\(error)")
      }
    }
    try? await store.deleteAll()
  }

  private func prepare(_ name: String) async throws -> ChappieFileThreadStore {
    let store = world.store(patience: .milliseconds(50))
    try await store.create(.sample("a"))
    try await store.append(.sample("first"), to: "a")
    try world.write(precious, "letter")
    unlink(world.path(name))
    return store
  }

  @Test(arguments: names) func aHardLinkedFileIsNotWritten(_ name: String) async throws {
    let store = try await prepare(name)
    #expect(link(world.path("letter"), world.path(name)) == 0)
    for store in [store, world.store(patience: .milliseconds(50))] {
      await use(store)
      #expect(try world.bytes("letter") == precious)
    }
  }

  @Test(arguments: names) func theTargetOfASymbolicLinkIsNotWritten(_ name: String) async throws {
    let store = try await prepare(name)
    #expect(symlink(world.path("letter"), world.path(name)) == 0)
    await use(store)
    #expect(try world.bytes("letter") == precious)
  }

  /// Opening a named pipe without a reader for writing would block for ever.
  @Test(.timeLimit(.minutes(10)), arguments: names) func aNamedPipeDoesNotBlock(_ name: String) async throws {
    let store = try await prepare(name)
    #expect(mkfifo(world.path(name), 0o600) == 0)
    await use(store)
  }

  @Test(arguments: files) func theErrorNamesAHardLink(_ name: String) async throws {
    let store = try await prepare("none")
    #expect(link(world.path("letter"), world.path("other")) == 0)
    let own = try? world.bytes(name)
    if own != nil { #expect(rename(world.path(name), world.path("own")) == 0) }
    #expect(rename(world.path("other"), world.path(name)) == 0)
    let error = await #expect(throws: ChappieThreadStoreError.self) { try await store.append(.sample("t"), to: "a") }
    #expect(error?.kind == "unavailable" && error?.description.contains("hard link") == true)
    #expect(try world.bytes("letter") == precious)
    // Without the link the store works again.
    unlink(world.path(name))
    if own != nil { #expect(rename(world.path("own"), world.path(name)) == 0) }
    try await store.append(.sample("t"), to: "a")
    #expect(try await world.store().thread("a").turns.map(\.id) == ["first", "t"])
  }

  /// A file of another user is not read either.
  @Test(.enabled(if: geteuid() == 0, "only root can give a file away"), arguments: files)
  func theErrorNamesAFileOfAnotherUser(_ name: String) async throws {
    let store = try await prepare("none")
    if access(world.path(name), F_OK) != 0 { try world.write([], name) }
    #expect(chown(world.path(name), 65_534, 65_534) == 0)
    for store in [store, world.store()] {
      let error = await #expect(throws: ChappieThreadStoreError.self) { try await store.thread("a") }
      #expect(error?.description.contains("belongs to another user") == true)
    }
  }

  /// The path of a home directory may contain a link.
  @Test func aStoreWorksBehindALinkToItsDirectory() async throws {
    let store = try await prepare("none")
    let other = FileStoreWorld()
    #expect(symlink(world.directory, other.directory) == 0)
    let linked = other.store(keys: world.keys)
    #expect(try await linked.thread("a").turns.map(\.id) == ["first"])
    try await linked.append(.sample("second"), to: "a")
    #expect(try await store.thread("a").turns.map(\.id) == ["first", "second"])
  }
}
