import ChappieSDK
import ChappieSDKRuntime
import GLibBridge

/// The threads that are in use, with one ``StoredThreads`` for each app and account.
@GLibActor
final class ThreadStores {
  private let policy: ThreadPolicy
  /// The threads by the directory of their files.
  private var stores: [String: Weak<StoredThreads>] = [:]

  init(_ policy: ThreadPolicy) {
    self.policy = policy
    LockMonitor.shared.observe { [weak self] in
      if LockMonitor.shared.state.isLocked { self?.locked() }
    }
  }

  func threads(of configuration: ChappieConfiguration) -> StoredThreads {
    let directory = ChappieFileThreadStore.directory(for: configuration)
    if let threads = stores[directory]?.value { return threads }
    let threads = StoredThreads(configuration, policy)
    stores = stores.filter { $0.value.value != nil }
    stores[directory] = Weak(threads)
    return threads
  }

  private func locked() {
    for threads in stores.values { threads.value?.locked() }
  }
}
