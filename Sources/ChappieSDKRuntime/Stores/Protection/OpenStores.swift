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
  private static let followLocks: Void = LockMonitor.shared.observe { if isLocked { letGo() } }

  private static var isLocked: Bool {
    switch LockMonitor.shared.state {
    case .locked, .beforeFirstUnlock: true
    case .unlocked, .unknown: false
    }
  }

  static func add(_ store: ChappieFileThreadStore) {
    stores.removeAll { $0.store == nil }
    stores.append(WeakStore(store: store))
    followLocks
  }

  /// A turn that had begun before something was locked has been kept in `store`.
  static func written(_ store: ChappieFileThreadStore) async {
    if isLocked, stores.contains(where: { $0.store === store }) { await store.forget() }
  }

  @discardableResult
  static func letGo() -> Task<Void, Never> {
    let stores = stores.compactMap(\.store)
    return Task.onGLib {
      for store in stores { await store.forget() }
    }
  }
}
