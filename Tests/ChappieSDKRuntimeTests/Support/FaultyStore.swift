// SPDX-License-Identifier: Apache-2.0
import ChappieSDKRuntime
import Synchronization

/// A store that forwards to another one, by default one in memory. Its methods can be made to fail.
final class FaultyStore: ChappieThreadStore {
  enum Method { case create, append, change }

  private let makeStore: @Sendable () -> any ChappieThreadStore
  private let faults = Mutex<[Method: ChappieThreadStoreError]>([:])

  private var inner: any ChappieThreadStore { makeStore() }

  /// - Parameter makeStore: the store for each call.
  init(_ makeStore: @escaping @Sendable () -> any ChappieThreadStore) {
    self.makeStore = makeStore
  }

  convenience init() {
    let memory = ChappieInMemoryThreadStore()
    self.init { memory }
  }

  /// Makes each call of `method` fail from now on; nil ends that.
  func fail(_ method: Method, _ error: ChappieThreadStoreError?) {
    faults.withLock { $0[method] = error }
  }

  private func check(_ method: Method) throws {
    if let error = faults.withLock({ $0[method] }) { throw error }
  }

  func create(_ thread: ChappieThreadSummary) async throws {
    try check(.create)
    try await inner.create(thread)
  }

  func append(_ turn: ChappieTurn, to thread: String) async throws {
    try check(.append)
    // Like a store on disk, it checks whether its caller was cancelled.
    try Task.checkCancellation()
    try await inner.append(turn, to: thread)
  }

  func change(_ thread: String, _ change: ChappieThreadChange) async throws {
    try check(.change)
    try await inner.change(thread, change)
  }

  func undoTurn(of id: String, asking text: String?) async throws { try await inner.undoTurn(of: id, asking: text) }
  func summary(of id: String) async throws -> ChappieThreadSummary? { try await inner.summary(of: id) }
  func thread(_ id: String) async throws -> ChappieThread { try await inner.thread(id) }
  func threads(_ query: ChappieThreadQuery) async throws -> [ChappieThreadSummary] { try await inner.threads(query) }
  func delete(_ thread: String) async throws { try await inner.delete(thread) }
  func usage() async throws -> ChappieThreadStoreUsage { try await inner.usage() }
}
