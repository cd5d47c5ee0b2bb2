import ChappieSDK

/// What is stored, whichever thread is the current one.
extension ChappieRuntime {
  /// The threads, those first that changed last; archived ones only where `includeArchived` says so.
  ///
  /// - Parameters:
  ///   - limit: at most so many, 1 or more; nil for all.
  ///   - after: the last thread of the page before, as it was listed there.
  /// - Throws: ``ChappieThreadStoreError``.
  public nonisolated func listThreads(
    includeArchived: Bool = false, limit: Int? = nil, after: ChappieThreadSummary? = nil
  ) async throws -> [ChappieThreadSummary] {
    try await store.threads(ChappieThreadQuery(includeArchived ? .all : .active, limit: limit, after: after))
  }

  /// The archived threads alone, those first that changed last.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  public nonisolated func archivedThreads(limit: Int? = nil, after: ChappieThreadSummary? = nil) async throws
    -> [ChappieThreadSummary]
  {
    try await store.threads(ChappieThreadQuery(.archived, limit: limit, after: after))
  }

  /// A thread with its turns, archived or not.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  public nonisolated func thread(_ id: String) async throws -> ChappieThread {
    try await store.thread(id)
  }

  /// - Throws: ``ChappieThreadStoreError``.
  public nonisolated func rename(thread id: String, to title: String) async throws {
    try await store.change(id, .rename(title))
  }

  /// Puts a thread away: it is no longer listed among the active ones, and deleted in time.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  public nonisolated func archive(thread id: String) async throws {
    try await store.change(id, .archive)
  }

  /// Takes an archived thread back. A message to it does the same.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  public nonisolated func unarchive(thread id: String) async throws {
    try await store.change(id, .unarchive)
  }

  /// How full the store is.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  public nonisolated func usage() async throws -> ChappieThreadStoreUsage {
    try await store.usage()
  }
}
