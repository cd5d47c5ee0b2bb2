import ChappieSDK
import GLibBridge

/// The stores of this process that may be read only while nothing is locked. When something is, they let go of the
/// titles that they have in memory.
@GLibActor
enum OpenStores {
  private static var stores: [Weak<ChappieFileThreadStore>] = []

  /// Done once, by being read.
  private static let followLocks: Void = LockMonitor.shared.observe { if isLocked { letGo() } }

  private static var isLocked: Bool {
    switch LockMonitor.shared.state {
    case .locked, .beforeFirstUnlock: true
    case .unlocked, .unknown: false
    }
  }

  static func add(_ store: ChappieFileThreadStore) {
    stores.removeAll { $0.value == nil }
    stores.append(Weak(store))
    followLocks
  }

  /// A turn that had begun before something was locked has been kept in `store`.
  static func written(_ store: ChappieFileThreadStore) async {
    if isLocked, stores.contains(where: { $0.value === store }) { await store.forget() }
  }

  @discardableResult
  static func letGo() -> Task<Void, Never> {
    let stores = stores.compactMap(\.value)
    return Task.onGLib {
      for store in stores { await store.forget() }
    }
  }
}
