// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Joins all lock sources into one state and follows it.
@GLibActor
package final class LockMonitor {
  /// The monitor of this process.
  package static let shared = LockMonitor()

  private var screenSources: [LockSource] = []
  private var keyring: KeyringSource?
  private lazy var starting = Task.onGLib { await start() }
  private let observers = Observers<Void>()
  private var loggedState: ChappieLockState?

  private init() {}

  // MARK: State

  /// Waits until each source has reported its state. A source that is late counts as silent until it answers.
  package func ready() async {
    await starting.value
  }

  /// The state of the screen from all sources together. A lock counts more than the opposite.
  var screen: LockReading { screenSources.map(\.reading).max() ?? .silent }

  package var state: ChappieLockState {
    if screen == .locked { return .locked }
    if let keyring, keyring.reading == .locked { return keyring.wasUnlocked ? .locked : .beforeFirstUnlock }
    return screen == .silent ? .unknown : .unlocked
  }

  /// Whether the keyring is unlocked. False for a keyring that is absent or does not answer.
  package var isKeyringUnlocked: Bool { keyring.map { $0.reading == .unlocked } ?? true }

  /// Whether another person may be at the screen.
  package var isScreenLocked: Bool { screen == .locked }

  /// Whether a person's consent is valid now. At a locked screen, another person may give it.
  package var mayApprove: Bool { !state.isLocked }

  /// The names of the sources behind ``state``, in alphabetical order.
  package var sources: [String] {
    let all = screenSources + [keyring].compactMap(\.self)
    return all.filter { $0.reading == (state.isLocked ? .locked : .unlocked) }.map(\.name).sorted()
  }

  /// Makes the keyring source read its state again. The keyring failed and may not signal its recovery.
  @discardableResult
  func lookAtKeyring() -> Task<Void, Never> {
    Task.onGLib { await keyring?.read() }
  }

  // MARK: Observing

  /// Calls `observer` after each change of any source, for as long as the caller keeps the result.
  package func observation(_ observer: @escaping @GLibActor () -> Void) -> Observation {
    observers.observe(observer)
  }

  /// Calls `observer` after each change of any source, for the lifetime of the process.
  package func observe(_ observer: @escaping @GLibActor () -> Void) {
    observers.observeForGood(observer)
  }

  /// The start tells once, of all sources together. From that or from a lock on, each change is told.
  private func changed() {
    if state.isLocked || loggedState != nil { tell() }
  }

  private func tell() {
    if state != loggedState {
      loggedState = state
      if state == .unknown {
        Log.info("The lock state is \(state): no source tells whether the screen is locked.")
      } else {
        Log.info("The lock state is \(state), according to \(name: sources.joined(separator: "+")).")
      }
    }
    observers.notify(())
  }

  // MARK: Starting

  /// Starts all sources at once: a silent source must not delay the others.
  private func start() async {
    let starts = [
      Task.onGLib { await startOnSessionBus() },
      Task.onGLib { await wait(atMost: .seconds(6)) { await self.startOnSystemBus() } },
    ]
    for start in starts { await start.value }
    tell()
  }

  /// Waits for `work`, which goes on after the limit: a late answer counts.
  private func wait(atMost limit: Duration, for work: @escaping @GLibActor @Sendable () async -> Void) async {
    let task = Task.onGLib { await work() }
    try? await withDeadline(limit) { await task.value }
  }

  private func startOnSessionBus() async {
    guard let bus = try? await BusConnection.open(.session) else { return }
    let keyring = KeyringSource(bus)
    self.keyring = keyring
    let savers = ScreenSaverSource.names.map { ScreenSaverSource($0, bus) }
    screenSources += savers as [LockSource]
    let screens = Task.onGLib { await wait(atMost: .seconds(2)) { await self.follow(savers) } }
    await wait(atMost: .seconds(6)) { await self.follow([keyring]) }
    await screens.value
  }

  private func startOnSystemBus() async {
    guard let bus = try? await BusConnection.open(.system) else { return }
    let logind = LogindSource(bus)
    screenSources.append(logind)
    await follow([logind])
  }

  private func follow(_ sources: [LockSource]) async {
    let starts = sources.map { source in Task.onGLib { await source.start { self.changed() } } }
    for start in starts { await start.value }
  }
}

/// The lock state from one source or several.
enum LockReading: Sendable, Comparable {
  /// The source is absent, has not answered yet, or has never proved reliable.
  case silent
  case unlocked
  case locked
}

/// A lock source: logind, a screen saver or the keyring. Each is a service with a name on a bus, whose owners come and
/// go.
@GLibActor
class LockSource {
  /// The name in ``LockMonitor/sources``.
  let name: String
  let service: String
  /// The service's object, whose path follows from its name.
  let path: ObjectPath
  let connection: BusConnection
  var reading = LockReading.silent {
    didSet { if reading != oldValue { changed() } }
  }
  private var changed: @GLibActor () -> Void = {}
  private var watch: Observation?
  private var subscription: Observation?

  init(_ name: String, service: String, _ connection: BusConnection) {
    self.name = name
    self.service = service
    self.connection = connection
    path = service.split(separator: ".").reduce(ObjectPath.root) { $0.appending(String($1)) }
  }

  /// What to follow of the owner's signals.
  var match: BusConnection.Match { .init() }
  func received(_ signal: BusSignal) {}
  func ownerChanged(_ owner: String?) async {}

  /// Starts to follow the source. `changed` is called after each change of ``reading``.
  ///
  /// Returns once the initial state has been read or cannot be read.
  final func start(_ changed: @escaping @GLibActor () -> Void) async {
    self.changed = changed
    let first = Wait()
    watch = connection.watchName(service) { [weak self] owner in
      self?.subscribe(to: owner)
      Task.onGLib {
        await self?.ownerChanged(owner)
        first.finish()
      }
    }
    await first.value()
  }

  /// The subscription comes before the query, so no change between them is missed.
  private func subscribe(to owner: String?) {
    var match = match
    match.sender = owner
    subscription = owner == nil ? nil : connection.subscribe(match) { [weak self] in self?.received($0) }
  }

  /// A property of an object of the service; nil when it cannot be read or has another type. The question ends with the
  /// service: a late answer counts.
  final func property<Value: VariantConvertible>(_ path: ObjectPath, _ interface: String, _ name: String) async
    -> Value?
  {
    try? await connection.property(service, path, interface, name, timeout: nil).unboxed.value(as: Value.self)
  }
}
