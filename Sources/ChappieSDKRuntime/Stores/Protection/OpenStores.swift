import ChappieSDK
import GLibBridge

/// The stores of this process whose content must not stay in memory while something is locked.
@GLibActor
enum OpenStores {
  private struct WeakStore {
    weak var store: ChappieFileThreadStore?
  }

  private static var stores: [WeakStore] = []

  static func add(_ store: ChappieFileThreadStore) {
    stores.removeAll { $0.store == nil }
    stores.append(WeakStore(store: store))
    followLocks
  }

  /// Done once, by being read.
  private static let followLocks: Void = LockMonitor.shared.observe {
    switch LockMonitor.shared.state {
    case .unlocked, .unknown: return
    case .locked, .beforeFirstUnlock:
      for store in stores.compactMap(\.store) { Task.onGLib { await store.forget() } }
    }
  }
}
