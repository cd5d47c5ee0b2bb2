import GLibBridge

/// Tells when an item of one schema came, changed or went in the keyring, whoever did it. It asks for nothing: the
/// keyring says so.
///
/// Signals name an object on the bus and not what is in it, and come for every item of every program. They are looked
/// at together, a few times a second at most, with one question each time.
@GLibActor
final class KeyringWatch {
  typealias Attributes = [String: String]

  private static let service = "org.freedesktop.secrets"
  private static let signals: Set = ["ItemCreated", "ItemChanged", "ItemDeleted"]
  /// For what comes in one go: an item, then its copy.
  private static let settling = Duration.milliseconds(50)
  private static let pause = Duration.milliseconds(250)
  /// More than these are not told apart.
  private static let limit = 1000

  /// What the next round looks at.
  private enum Pending {
    case items(Set<String>)
    /// It was not always there to tell.
    case everything

    var isEmpty: Bool {
      if case .items(let paths) = self { return paths.isEmpty }
      return false
    }
  }

  private enum Round {
    case none
    case due(Timer)
    case running
  }

  private let client: SecretServiceClient
  private let schema: String
  /// The items that were seen, by their objects: nobody can say any more what a deleted one was.
  private var known: [String: Attributes] = [:]
  private var pending = Pending.items([])
  private var round = Round.none
  private var lastRound = ContinuousClock.now - pause
  private var starting: Task<Void, Never>?
  private var subscription: BusSubscription?
  /// Called with the attributes of what has changed, before and after; with nil where that can be anything.
  private let changed: @GLibActor ([Attributes]?) -> Void

  init(client: SecretServiceClient, schema: String, _ changed: @escaping @GLibActor ([Attributes]?) -> Void) {
    self.client = client
    self.schema = schema
    self.changed = changed
  }

  /// Returns once nothing that happens is missed any more.
  func start() async {
    if starting == nil { starting = Task.onGLib { await subscribe() } }
    await starting?.value
  }

  /// Somebody has found these items.
  func note(_ found: [SecretServiceClient.Found]) {
    for item in found { known[item.path] = item.attributes }
  }

  private func subscribe() async {
    // Without a bus there is no keyring either.
    guard let bus = try? await BusConnection.open(.session) else { return }
    let match = BusConnection.Match(sender: Self.service, interface: "org.freedesktop.Secret.Collection")
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
    if case .items(let paths) = pending {
      pending = paths.count < Self.limit ? .items(paths.union([path])) : .everything
    }
    schedule()
  }

  /// A keyring that is locked, or gone, may be another one when it is back.
  private func lockChanged() {
    if !LockMonitor.shared.isKeyringUnlocked {
      pending = .everything
    } else if !pending.isEmpty {
      schedule()
    }
  }

  // MARK: Rounds

  private func schedule() {
    guard case .none = round else { return }
    let delay = max(Self.settling, lastRound + Self.pause - .now)
    round = .due(Timer(after: delay) { [weak self] in Task.onGLib { await self?.look() } })
  }

  private func look() async {
    round = .running
    lastRound = .now
    let due = pending
    pending = .items([])
    let hasAnswered = await look(at: due)
    round = .none
    if !pending.isEmpty { schedule() }
    // A keyring that tells nothing now is asked when it is well again.
    if !hasAnswered { pending = .everything }
  }

  /// Returns whether the keyring has answered.
  private func look(at due: Pending) async -> Bool {
    guard case .items(let paths) = due else {
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
