// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// Observes the lock for the stores that may be read only while nothing is locked. When the screen or the keyring is
/// locked, they forget the titles in memory.
@GLibActor
enum StoreLockObserver {
  private static var stores: [Weak<ChappieFileThreadStore>] = []

  /// Registers the observer once, when it is first read.
  private static let observation: Void = LockMonitor.shared.observe { if isLocked { forgetTitles() } }

  static var isLocked: Bool { LockMonitor.shared.state.isLocked }

  /// Adds a store. The observer does not keep it alive.
  static func add(_ store: ChappieFileThreadStore) {
    stores.removeAll { $0.value == nil }
    stores.append(Weak(store))
    observation
  }

  private static func forgetTitles() {
    for store in stores.compactMap(\.value) {
      Task.onGLib { await store.forget() }
    }
  }
}
