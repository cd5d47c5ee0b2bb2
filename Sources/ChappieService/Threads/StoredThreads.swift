import ChappieSDK
import ChappieSDKRuntime
import GLibBridge
import Platform

/// The threads of one app and account, whichever objects they are used through.
@GLibActor
final class StoredThreads {
  private let configuration: ChappieConfiguration
  private let policy: ThreadPolicy
  private var stores: [ChappieFileThreadStoreStoragePolicy.FileProtection: ChappieFileThreadStore] = [:]
  private var objects: [Weak<ThreadsObject>] = []
  private var queues: [String: ThreadQueue] = [:]

  /// - Parameter configuration: its keychain fields name the app and the account.
  init(_ configuration: ChappieConfiguration, _ policy: ThreadPolicy) {
    self.configuration = configuration
    self.policy = policy
  }

  // MARK: Stores

  /// When an object with this rule can read them.
  func protection(_ accessibility: ChappieKeychainAccessibility) -> ChappieFileThreadStoreStoragePolicy.FileProtection {
    switch accessibility {
    case .whenUnlockedThisDeviceOnly: policy.protection
    case .afterFirstUnlockThisDeviceOnly: .completeUntilFirstUserAuthentication
    }
  }

  /// What is on the disk.
  func files(_ protection: ChappieFileThreadStoreStoragePolicy.FileProtection) -> ChappieFileThreadStore {
    if let store = stores[protection] { return store }
    let store = ChappieFileThreadStore(
      configuration: configuration, retentionPolicy: policy.retention,
      storagePolicy: ChappieFileThreadStoreStoragePolicy(fileProtection: protection))
    store.onRetention { [weak self] archived, deleted in
      Task.onGLib {
        for thread in archived { self?.tell(thread, .archived) }
        for thread in deleted { self?.tell(thread, .deleted) }
      }
    }
    stores[protection] = store
    return store
  }

  /// The same as turns and changes go to it: redacted, and told of.
  func store(_ files: ChappieFileThreadStore) -> any ChappieThreadStore {
    let store: any ChappieThreadStore =
      policy.redaction.map { ChappieRedactingThreadStore(files, redaction: $0) } ?? files
    return NotifyingThreadStore(store) { [weak self] in self?.tell($0, $1) }
  }

  /// Makes sure that one more thread may begin.
  ///
  /// - Throws: `BusError` with `LimitExceeded`, `ChappieThreadStoreError`.
  func checkRoom(in store: any ChappieThreadStore) async throws {
    let directory = ChappieFileThreadStore.directory(for: configuration)
    if !Files.exists(directory) {
      // The first thread of an account makes a key in the keyring.
      let app = directory.split(separator: "/").dropLast().joined(separator: "/")
      guard (try? Files.names(in: "/" + app).count) ?? 0 < Limits.accountsWithThreads else {
        throw BusError(
          .limitExceeded, "\(Limits.accountsWithThreads) accounts of this program have threads: use one of them.")
      }
    }
    guard try await store.usage().threadCount < Limits.threads else {
      throw BusError(.limitExceeded, "There are \(Limits.threads) threads: delete some before you begin more.")
    }
  }

  /// Deletes all of them, and tells of those that were listed.
  ///
  /// - Throws: `ChappieThreadStoreError`.
  func deleteAll(from files: ChappieFileThreadStore) async throws {
    // Where nothing of them can be read, there is nobody to tell of either.
    let listed = (try? await files.threads(ChappieThreadQuery(.all))) ?? []
    try await files.deleteAll()
    for thread in listed { tell(thread.id, .deleted) }
  }

  // MARK: Turns

  /// Runs `body` once the turns of the thread that were asked for before have ended, at whichever object.
  ///
  /// - Parameter preparing: what need not wait for them, and may fail at once.
  /// - Throws: what the two throw, `CancellationError`.
  func inTurn<Result: Sendable>(
    _ thread: String, preparing: () async throws -> Void, _ body: () async throws -> Result
  ) async throws -> Result {
    let queue = queues[thread] ?? ThreadQueue()
    queues[thread] = queue
    queue.length += 1
    defer {
      queue.length -= 1
      if queue.length == 0 { queues[thread] = nil }
    }
    return try await queue.mutex.withLock(preparing: preparing, body)
  }

  // MARK: Telling

  /// Tells `object` of all changes from now on, for as long as it exists.
  func add(_ object: ThreadsObject) {
    objects.removeAll { $0.value == nil }
    objects.append(Weak(object))
  }

  private func tell(_ thread: String, _ change: ThreadChange) {
    for object in objects { object.value?.tell(thread, change) }
  }

  /// Something was locked: what may be read only while nothing is must not stay in memory.
  func locked() {
    for object in objects { object.value?.locked() }
  }
}

/// The turns of one thread that run or wait.
@GLibActor
private final class ThreadQueue {
  let mutex = AsyncMutex()
  var length = 0
}
