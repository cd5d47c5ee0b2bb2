// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKRuntime
import GLibBridge
import Platform
import ServiceConfiguration

/// The threads of one app and account. All objects of that app and account share them.
@GLibActor
final class StoredThreads {
  private let configuration: ChappieConfiguration
  let policy: ThreadPolicy
  private var stores: [ChappieFileThreadStoreStoragePolicy.FileProtection: ChappieFileThreadStore] = [:]
  private var objects: [Weak<ThreadsObject>] = []
  /// The turns of each thread run one after the other, also those of different objects.
  let turns = Mutexes<String>()

  /// - Parameters:
  ///   - configuration: names the app and the account with its keychain fields.
  ///   - policy: the retention, file protection and redaction of the service.
  init(_ configuration: ChappieConfiguration, _ policy: ThreadPolicy) {
    self.configuration = configuration
    self.policy = policy
  }

  // MARK: Stores

  /// The file protection for an object whose credential has this accessibility.
  func protection(_ accessibility: ChappieKeychainAccessibility) -> ChappieFileThreadStoreStoragePolicy.FileProtection {
    switch accessibility {
    case .whenUnlockedThisDeviceOnly: policy.protection
    case .afterFirstUnlockThisDeviceOnly: .completeUntilFirstUserAuthentication
    }
  }

  /// The file store with this protection, made at the first call. It announces its changes.
  func files(_ protection: ChappieFileThreadStoreStoragePolicy.FileProtection) -> ChappieFileThreadStore {
    if let store = stores[protection] { return store }
    let store = ChappieFileThreadStore(
      configuration: configuration, retentionPolicy: policy.retention,
      storagePolicy: ChappieFileThreadStoreStoragePolicy(fileProtection: protection))
    store.onChange { [weak self] in self?.tell($0, $1) }
    stores[protection] = store
    return store
  }

  /// Checks the limits on accounts and threads before a new thread.
  ///
  /// - Throws: `BusError` with `LimitExceeded`, `ChappieThreadStoreError`.
  func checkRoom(in store: any ChappieThreadStore) async throws {
    let directory = ChappieFileThreadStore.directory(for: configuration)
    if !Files.exists(directory) {
      // Each account with threads has its own key in the keyring.
      let app = directory.split(separator: "/").dropLast().joined(separator: "/")
      guard (try? Files.names(in: "/" + app).count) ?? 0 < Limits.accountsWithThreads else {
        throw BusError(
          .limitExceeded, "\(Limits.accountsWithThreads) accounts of this program have threads: use one of them.")
      }
    }
    guard try await store.usage().threadCount < Limits.threads else {
      throw BusError(.limitExceeded, en("There are \(Limits.threads) threads: delete some before you begin more."))
    }
  }

  /// Deletes all threads without opening any, and announces the deletion of each.
  ///
  /// - Throws: `ChappieThreadStoreError`.
  func deleteAll(from files: ChappieFileThreadStore) async throws {
    // Deletion also repairs an unreadable store. The ids of its threads are unknown, so it announces nothing.
    let ids = (try? await files.ids()) ?? []
    try await files.deleteAll()
    for id in ids { tell(id, .deleted) }
  }

  // MARK: Turns

  /// Checks that no turn of the thread runs or waits, of any object.
  ///
  /// - Throws: `BusError` with `InvalidArgument`.
  func checkIdle(_ thread: String) throws {
    guard turns.isFree(thread) else {
      throw BusError(.invalidArgument, en("A turn of the thread runs: wait for its end, or cancel it."))
    }
  }

  // MARK: Announcements

  /// Announces all changes to `object` from now on, for as long as it exists.
  func add(_ object: ThreadsObject) {
    objects.removeAll { $0.value == nil }
    objects.append(Weak(object))
  }

  private func tell(_ thread: String, _ change: ChappieFileThreadStore.Change) {
    for object in objects { object.value?.tell(thread, change) }
  }

  /// Tells all objects that the screen or the keyring was locked.
  func locked() {
    for object in objects { object.value?.locked() }
  }
}

/// The threads that are in use, with one ``StoredThreads`` for each app and account.
@GLibActor
final class ThreadStores {
  private let policy: ThreadPolicy
  /// The threads by the directory of their files.
  private var stores: [String: Weak<StoredThreads>] = [:]

  init(_ policy: ThreadPolicy) {
    self.policy = policy
    LockMonitor.shared.observe { [weak self] in
      guard let self, LockMonitor.shared.state.isLocked else { return }
      for threads in stores.values { threads.value?.locked() }
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
}
