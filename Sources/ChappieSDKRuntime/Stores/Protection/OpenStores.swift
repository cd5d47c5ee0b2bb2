import ChappieSDK
import GLibBridge

/// The stores of this process that may be read only while nothing is locked. When something is, they let go of the
/// titles that they have in memory.
@GLibActor
enum OpenStores {
  private static var stores: [Weak<ChappieFileThreadStore>] = []

  /// Done once, by being read.
  private static let followLocks: Void = LockMonitor.shared.observe { if isLocked { letGo() } }

  static var isLocked: Bool { LockMonitor.shared.state.isLocked }

  static func add(_ store: ChappieFileThreadStore) {
    stores.removeAll { $0.value == nil }
    stores.append(Weak(store))
    followLocks
  }

  private static func letGo() {
    for store in stores.compactMap(\.value) {
      Task.onGLib { await store.forget() }
    }
  }
}
