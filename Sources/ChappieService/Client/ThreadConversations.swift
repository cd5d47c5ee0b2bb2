// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKRuntime
import GLibBridge

/// The conversations of one object. The most recent ones stay in memory: their next turns do not read the thread again,
/// and use the open connection.
@GLibActor
final class ThreadConversations {
  private static let limit = 8

  private let client: ChappieClient
  private let store: any ChappieThreadStore
  /// The lease for all conversations, in the name of the application that ran the last turn.
  private var lease: MemoryBudget.Lease?
  /// The conversations by last use, oldest first.
  private var conversations: [(thread: String, runtime: ChappieRuntime)] = []

  /// - Parameters:
  ///   - client: supplies the configuration, the harness and the model of the conversations.
  ///   - store: keeps their turns.
  init(_ client: ChappieClient, _ store: any ChappieThreadStore) {
    self.client = client
    self.store = store
  }

  /// The conversation of a thread, with the object's current harness and model.
  func conversation(_ thread: String) async -> ChappieRuntime {
    // A runtime whose thread was deleted would begin a new thread.
    let runtime =
      conversations.first { $0.thread == thread && $0.runtime.currentThread == thread }?.runtime
      ?? Chappie.client(configuration: client.configuration).runtime(store: store, thread: thread)
    forget(thread)
    conversations.append((thread, runtime))
    if conversations.count > Self.limit { conversations.removeFirst() }
    if runtime.client.harness != client.harness { runtime.client.harness = client.harness }
    if runtime.client.modelChoice != client.modelChoice { runtime.client.modelChoice = client.modelChoice }
    return runtime
  }

  /// Renews the lease after a turn of `application`, and drops the least recently used conversations until it fits.
  func count(for application: Application, in memory: MemoryBudget) {
    lease = nil
    while !conversations.isEmpty, lease == nil {
      let bytes = conversations.reduce(0) { $0 + $1.runtime.client.contextFootprint }
      lease = try? memory.lease(bytes, for: application)
      if lease == nil { conversations.removeFirst() }
    }
  }

  func forget(_ thread: String) {
    conversations.removeAll { $0.thread == thread }
  }

  func forgetAll() {
    conversations = []
    lease = nil
  }
}
