// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKRuntime
import GLibBridge

/// The kind of change in a `ThreadChanged` signal.
enum ThreadChange: String {
  case created, updated, renamed, archived, unarchived, deleted
}

/// Passes everything to another store, and announces each successful change.
struct NotifyingThreadStore: ChappieThreadStore {
  private let store: any ChappieThreadStore
  private let tell: @GLibActor (_ thread: String, ThreadChange) -> Void

  init(_ store: any ChappieThreadStore, tell: @escaping @GLibActor (_ thread: String, ThreadChange) -> Void) {
    self.store = store
    self.tell = tell
  }

  func create(_ thread: ChappieThreadSummary) async throws {
    try await store.create(thread)
    await tell(thread.id, .created)
  }

  func append(_ turn: ChappieTurn, to thread: String) async throws {
    let wasArchived = try await isArchived(thread)
    try await store.append(turn, to: thread)
    if wasArchived { await tell(thread, .unarchived) }
    await tell(thread, .updated)
  }

  func change(_ thread: String, _ change: ChappieThreadChange) async throws {
    switch change {
    case .rename:
      try await store.change(thread, change)
      await tell(thread, .renamed)
    case .archive:
      let wasArchived = try await isArchived(thread)
      try await store.change(thread, change)
      if !wasArchived { await tell(thread, .archived) }
    case .unarchive:
      let wasArchived = try await isArchived(thread)
      try await store.change(thread, change)
      if wasArchived { await tell(thread, .unarchived) }
    }
  }

  private func isArchived(_ thread: String) async throws -> Bool {
    try await store.summary(of: thread)?.isArchived ?? false
  }

  func delete(_ thread: String) async throws {
    try await store.delete(thread)
    await tell(thread, .deleted)
  }

  func title(for message: ChappieInputMessage) async -> String { await store.title(for: message) }

  func thread(_ id: String) async throws -> ChappieThread { try await store.thread(id) }

  func summary(of thread: String) async throws -> ChappieThreadSummary? { try await store.summary(of: thread) }

  func threads(_ query: ChappieThreadQuery) async throws -> [ChappieThreadSummary] { try await store.threads(query) }

  func usage() async throws -> ChappieThreadStoreUsage { try await store.usage() }
}
