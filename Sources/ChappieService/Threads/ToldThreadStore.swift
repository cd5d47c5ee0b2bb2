import ChappieSDK
import ChappieSDKRuntime
import GLibBridge

/// What `ThreadChanged` says happened.
enum ThreadChange: String, CaseIterable {
  case created, updated, renamed, archived, unarchived, deleted
}

/// Tells of each change that another store has made.
struct ToldThreadStore: ChappieThreadStore {
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
    try await store.append(turn, to: thread)
    await tell(thread, .updated)
  }

  func change(_ thread: String, _ change: ChappieThreadChange) async throws {
    let wasArchived = try await store.summary(of: thread)?.isArchived
    try await store.change(thread, change)
    switch change {
    case .rename: await tell(thread, .renamed)
    case .archive: if wasArchived != true { await tell(thread, .archived) }
    case .unarchive: if wasArchived != false { await tell(thread, .unarchived) }
    }
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
