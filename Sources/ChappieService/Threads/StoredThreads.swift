import ChappieSDK
import ChappieSDKRuntime
import GLibBridge

/// The threads of one app and account, whichever objects they are used through.
@GLibActor
final class StoredThreads {
  private struct WeakObject {
    weak var object: ThreadsObject?
  }

  private let configuration: ChappieConfiguration
  private let policy: ThreadPolicy
  private var stores: [ChappieKeychainAccessibility: ChappieFileThreadStore] = [:]
  private var objects: [WeakObject] = []
  private var queues: [String: ThreadQueue] = [:]

  /// - Parameter configuration: its keychain fields name the app and the account.
  init(_ configuration: ChappieConfiguration, _ policy: ThreadPolicy) {
    self.configuration = configuration
    self.policy = policy
  }

  // MARK: Stores

  /// What is on the disk, under the rule of an object.
  func files(_ accessibility: ChappieKeychainAccessibility) -> ChappieFileThreadStore {
    if let store = stores[accessibility] { return store }
    var configuration = configuration
    configuration.keychainAccessibility = accessibility
    let store = ChappieFileThreadStore(
      configuration: configuration, retentionPolicy: policy.retention,
      storagePolicy: ChappieFileThreadStoreStoragePolicy(fileProtection: .init(accessibility)))
    store.onRetention { [weak self] archived, deleted in
      Task.onGLib {
        for thread in archived { self?.tell(thread, .archived) }
        for thread in deleted { self?.tell(thread, .deleted) }
      }
    }
    stores[accessibility] = store
    return store
  }

  /// The same as turns and changes go to it: redacted, and told of.
  func store(_ accessibility: ChappieKeychainAccessibility) -> any ChappieThreadStore {
    let files = files(accessibility)
    let store: any ChappieThreadStore =
      policy.redaction.map { ChappieRedactingThreadStore(files, redaction: $0) } ?? files
    return ToldThreadStore(store) { [weak self] in self?.tell($0, $1) }
  }

  // MARK: Turns

  /// Runs `body` once the turns of the thread that were asked for before have ended, at whichever object.
  ///
  /// - Throws: what `body` throws, `CancellationError`.
  func inTurn<Result: Sendable>(_ thread: String, _ body: () async throws -> Result) async throws -> Result {
    let queue = queues[thread] ?? ThreadQueue()
    queues[thread] = queue
    queue.length += 1
    defer {
      queue.length -= 1
      if queue.length == 0 { queues[thread] = nil }
    }
    return try await queue.turnstile.pass(body)
  }

  // MARK: Telling

  /// Tells `object` of all changes from now on, for as long as it exists.
  func add(_ object: ThreadsObject) {
    objects.removeAll { $0.object == nil }
    objects.append(WeakObject(object: object))
  }

  private func tell(_ thread: String, _ change: ThreadChange) {
    for object in objects { object.object?.tell(thread, change) }
  }

  /// Something was locked: what may be read only while nothing is must not stay in memory.
  func locked() {
    for object in objects { object.object?.locked() }
  }
}

/// The turns of one thread that run or wait.
@GLibActor
private final class ThreadQueue {
  let turnstile = Turnstile()
  var length = 0
}

extension ChappieFileThreadStoreStoragePolicy.FileProtection {
  /// The protection of threads beside a sign-in with this rule.
  fileprivate init(_ accessibility: ChappieKeychainAccessibility) {
    switch accessibility {
    case .whenUnlockedThisDeviceOnly: self = .complete
    case .afterFirstUnlockThisDeviceOnly: self = .completeUntilFirstUserAuthentication
    }
  }
}
