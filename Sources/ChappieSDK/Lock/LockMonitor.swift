import GLibBridge

/// Joins all that knows of a lock into one state, and follows it.
@GLibActor
package final class LockMonitor {
  /// The monitor of this process.
  package static let shared = LockMonitor()

  /// What the screen is, of all sources together.
  package enum Screen {
    case unlocked
    case locked
    case unknown
  }

  private var screenSources: [any LockSource] = []
  private var keyring: KeyringSource?
  private var starting: Task<Void, Never>?
  private let observers = Observers<Void>()
  private var isStarted = false
  private var loggedState: ChappieLockState?

  private init() {}

  // MARK: State

  /// Waits until each source has said what it knows. What does not answer in time is silent.
  package func ready() async {
    if starting == nil { starting = Task.onGLib { await start() } }
    await starting?.value
  }

  package var screen: Screen {
    if screenSources.contains(where: { $0.reading == .locked }) { return .locked }
    return screenSources.contains { $0.reading == .unlocked } ? .unlocked : .unknown
  }

  package var state: ChappieLockState {
    if screen == .locked { return .locked }
    if let keyring, keyring.reading == .locked { return keyring.wasUnlocked ? .locked : .beforeFirstUnlock }
    return screen == .unknown ? .unknown : .unlocked
  }

  /// False also for a keyring that is gone or does not answer.
  package var isKeyringUnlocked: Bool { keyring.map { $0.reading == .unlocked } ?? true }

  /// Whether somebody else may sit before the screen.
  package var isScreenLocked: Bool { screen == .locked }

  /// Whether a person's consent counts now, who may be somebody else while it is locked.
  package var mayApprove: Bool {
    switch state {
    case .unlocked, .unknown: true
    case .locked, .beforeFirstUnlock: false
    }
  }

  /// The names of the sources that say what ``state`` is, in alphabetical order.
  package var sources: [String] {
    let reading: LockReading =
      switch state {
      case .locked, .beforeFirstUnlock: .locked
      case .unlocked, .unknown: .unlocked
      }
    let all = screenSources + (keyring.map { [$0] } ?? [])
    return all.filter { $0.reading == reading }.map(\.name).sorted()
  }

  /// Has the keyring looked at now: it failed, and may not tell when it is well again.
  func lookAtKeyring() {
    Task.onGLib { await keyring?.read() }
  }

  // MARK: Observing

  /// Calls `observer` after each change of any source, for as long as the process lives.
  package func observe(_ observer: @escaping @GLibActor () -> Void) {
    observers.observeForGood(observer)
  }

  private func tell() {
    log()
    observers.notify(())
  }

  /// Tells of a state that is another one than before, and of the sources that say so.
  private func log() {
    guard isStarted, state != loggedState else { return }
    loggedState = state
    switch state {
    case .unknown: Log.info("The lock state is \(state): no source tells whether the screen is locked.")
    case .unlocked, .locked, .beforeFirstUnlock:
      Log.info("The lock state is \(state), according to \(name: sources.joined(separator: "+")).")
    }
  }

  // MARK: Starting

  /// All at once: what does not answer must not hold up the others.
  private func start() async {
    let starts = [Task.onGLib { await startOnSessionBus() }, Task.onGLib { await startOnSystemBus() }]
    for start in starts { await start.value }
    isStarted = true
    tell()
  }

  private func startOnSessionBus() async {
    guard let bus = try? await BusConnection.open(.session) else { return }
    let keyring = KeyringSource(bus)
    self.keyring = keyring
    let savers = ScreenSaverSource.names.map { ScreenSaverSource($0, bus) }
    screenSources += savers
    await follow(savers + [keyring])
  }

  private func startOnSystemBus() async {
    guard let bus = try? await BusConnection.open(.system, deadline: .seconds(2)) else { return }
    let logind = LogindSource(bus)
    screenSources.append(logind)
    await follow([logind])
  }

  private func follow(_ sources: [any LockSource]) async {
    let starts = sources.map { source in
      Task.onGLib { await source.start { self.tell() } }
    }
    for start in starts { await start.value }
  }
}

/// One party that knows of a lock: logind, a screen saver, the keyring.
@GLibActor
protocol LockSource: AnyObject {
  /// The name that ``LockMonitor/sources`` shows.
  var name: String { get }
  var reading: LockReading { get }

  /// Starts to follow. `changed` is called after each change of ``reading``.
  ///
  /// Returns once the initial state was read, or cannot be.
  func start(_ changed: @escaping @GLibActor () -> Void) async
}

/// What one source says of the lock that it knows.
enum LockReading: Sendable, Equatable {
  /// It is not there, or has never been seen to know.
  case silent
  case unlocked
  case locked
}
