import ChappieSDK
import GLibBridge

/// The stores of this process that may be read only while nothing is locked. When something is, they let go of the
/// titles that they have in memory.
@GLibActor
enum OpenStores {
  private struct WeakStore {
    weak var store: ChappieFileThreadStore?
  }

  private static var stores: [WeakStore] = []

  /// Done once, by being read.
  private static let followLocks: Void = LockMonitor.shared.observe {
    switch LockMonitor.shared.state {
    case .locked, .beforeFirstUnlock: letGo()
    case .unlocked, .unknown: break
    }
  }

  static func add(_ store: ChappieFileThreadStore) {
    stores.removeAll { $0.store == nil }
    stores.append(WeakStore(store: store))
    followLocks
  }

  @discardableResult
  static func letGo() -> Task<Void, Never> {
    let stores = stores.compactMap(\.store)
    return Task.onGLib {
      for store in stores { await store.forget() }
    }
  }
}
