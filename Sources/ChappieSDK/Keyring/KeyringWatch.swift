// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Reports each item of one schema that any program creates, changes or deletes in the keyring. It listens to the
/// keyring's signals and does not poll.
///
/// A signal names an object on the bus without its content, and every program's items cause signals. One query
/// therefore serves all signals of a round, a few times a second at most.
@GLibActor
final class KeyringWatch {
  typealias Attributes = [String: String]

  private static let signals: Set = ["ItemCreated", "ItemChanged", "ItemDeleted"]
  /// Joins changes that come together: an item, then its copy.
  private static let settling = Duration.milliseconds(50)
  private static let pause = Duration.milliseconds(250)
  /// Above this number of changed items, the items are no longer tracked one by one.
  private static let limit = 1000

  private let client: SecretServiceClient
  private let schema: String
  /// The attributes of known items by object path, because a deleted item's attributes can no longer be read.
  private var known: [String: Attributes] = [:]
  /// The items for the next round. Nil when signals may have been missed, so any item may have changed.
  private var pending: Set<String>? = []
  private var round: Task<Void, Never>?
  private var lastRound = ContinuousClock.now - pause
  private lazy var starting = Task.onGLib { await subscribe() }
  private var subscription: Observation?
  /// Called with the attributes of the changed items, before and after. Called with nil when any item may have changed.
  private let changed: @GLibActor ([Attributes]?) -> Void

  init(client: SecretServiceClient, schema: String, _ changed: @escaping @GLibActor ([Attributes]?) -> Void) {
    self.client = client
    self.schema = schema
    self.changed = changed
  }

  /// Returns once every later change will be noticed.
  func start() async {
    await starting.value
  }

  /// Remembers items that a search has found.
  func note(_ found: [SecretServiceClient.Found]) {
    for item in found { known[item.path] = item.attributes }
  }

  private func subscribe() async {
    // Without a bus there is no keyring either.
    guard let bus = try? await BusConnection.open(.session) else { return }
    let match = BusConnection.Match(
      sender: "org.freedesktop.secrets", interface: "org.freedesktop.Secret.Collection")
    subscription = bus.subscribe(match) { [weak self] signal in
      guard Self.signals.contains(signal.member) else { return }
      if let path = try? signal.arguments.member(0, "item", as: ObjectPath.self) { self?.touched(path.string) }
    }
    Task.onGLib {
      await LockMonitor.shared.ready()
      LockMonitor.shared.observe { [weak self] in self?.lockChanged() }
    }
  }

  private func touched(_ path: String) {
    pending?.insert(path)
    if let pending, pending.count > Self.limit { self.pending = nil }
    schedule()
  }

  /// A locked or absent keyring may come back with other content.
  private func lockChanged() {
    if !LockMonitor.shared.isKeyringUnlocked {
      pending = nil
    } else if pending != [] {
      schedule()
    }
  }

  // MARK: Rounds

  private func schedule() {
    guard round == nil else { return }
    round = Task.onGLib {
      try? await sleep(for: max(Self.settling, lastRound + Self.pause - .now))
      lastRound = .now
      let due = pending
      pending = []
      let hasAnswered = await look(at: due)
      if !hasAnswered {
        // A keyring that does not answer is asked again after it recovers, which may be now.
        pending = nil
        await LockMonitor.shared.lookAtKeyring().value
      }
      round = nil
      if pending != [], hasAnswered || LockMonitor.shared.isKeyringUnlocked { schedule() }
    }
  }

  /// - Returns: whether the keyring has answered.
  private func look(at due: Set<String>?) async -> Bool {
    guard let paths = due else {
      changed(nil)
      return true
    }
    guard let found = try? await client.attributes(ofItemsAt: paths, schema: schema) else { return false }
    let items = paths.flatMap { path in [known[path], found[path]].compactMap { $0 } }
    for path in paths { known[path] = found[path] }
    if !items.isEmpty { changed(items) }
    return true
  }
}
