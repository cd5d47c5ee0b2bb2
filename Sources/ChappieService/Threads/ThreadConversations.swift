import ChappieSDK
import ChappieSDKRuntime
import GLibBridge

/// The conversations of one object with its threads. The last ones are kept: their next turns need not read what was
/// said, and go over the connection that is open.
@GLibActor
final class ThreadConversations {
  private static let limit = 8

  private let client: ChappieClient
  private let store: any ChappieThreadStore
  /// For all of them, on behalf of who had the last turn.
  private var lease: MemoryBudget.Lease?
  /// The one that was used last is the last one.
  private var conversations: [(thread: String, runtime: ChappieRuntime)] = []

  /// - Parameter client: what the conversations take their configuration, harness and model from.
  init(_ client: ChappieClient, _ store: any ChappieThreadStore) {
    self.client = client
    self.store = store
  }

  /// The conversation of a thread, with the object's harness and model as they are now.
  func conversation(_ thread: String) async -> ChappieRuntime {
    // One whose thread was gone would begin another.
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

  /// Counts what they hold, which a turn of `application` has changed, and forgets those that were not used for longest
  /// where that is too much.
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
