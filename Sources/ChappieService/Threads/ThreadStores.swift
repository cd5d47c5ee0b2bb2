import ChappieSDK
import ChappieSDKRuntime
import GLibBridge

/// The threads that are in use: those of each app and account once.
@GLibActor
final class ThreadStores {
  private struct WeakThreads {
    weak var threads: StoredThreads?
  }

  private let policy: ThreadPolicy
  /// By the directories of their files.
  private var stores: [String: WeakThreads] = [:]

  init(_ policy: ThreadPolicy) {
    self.policy = policy
    LockMonitor.shared.observe { [weak self] in
      switch LockMonitor.shared.state {
      case .locked, .beforeFirstUnlock: self?.locked()
      case .unlocked, .unknown: break
      }
    }
  }

  func threads(of configuration: ChappieConfiguration) -> StoredThreads {
    let directory = ChappieFileThreadStore.directory(for: configuration)
    if let threads = stores[directory]?.threads { return threads }
    let threads = StoredThreads(configuration, policy)
    stores = stores.filter { $0.value.threads != nil }
    stores[directory] = WeakThreads(threads: threads)
    return threads
  }

  private func locked() {
    for threads in stores.values { threads.threads?.locked() }
  }
}
