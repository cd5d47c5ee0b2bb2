import GLibBridge

/// Joins all that knows of a lock into one state, and follows it.
@GLibActor
package final class LockMonitor {
  /// The monitor of this process.
  package static let shared = LockMonitor()

  /// What the screen is, of all sources together.
  enum Screen {
    case unlocked
    case locked
    case unknown
  }

  private var screenSources: [any LockSource] = []
  private var keyring: KeyringSource?
  private var starting: Task<Void, Never>?
  private var observers: [Int: @GLibActor () -> Void] = [:]
  private var nextObserver = 0

  private init() {}

  // MARK: State

  /// Waits until each source has said what it knows. What does not answer in time is silent.
  package func ready() async {
    if starting == nil { starting = Task.onGLib { await start() } }
    await starting?.value
  }

  var screen: Screen {
    if screenSources.contains(where: { $0.reading == .locked }) { return .locked }
    return screenSources.contains { $0.reading == .unlocked } ? .unlocked : .unknown
  }

  package var state: ChappieLockState {
    if screen == .locked { return .locked }
    if let keyring, keyring.reading == .locked { return keyring.wasUnlocked ? .locked : .beforeFirstUnlock }
    return screen == .unknown ? .unknown : .unlocked
  }

  /// The names of the sources that say what ``state`` is.
  package var sources: [String] {
    let all = screenSources + (keyring.map { [$0] } ?? [])
    switch state {
    case .locked, .beforeFirstUnlock: return all.filter { $0.reading == .locked }.map(\.name)
    case .unlocked, .unknown: return all.filter { $0.reading == .unlocked }.map(\.name)
    }
  }

  // MARK: Observing

  /// Calls `observer` after each change of any source, for as long as the process lives.
  package func observe(_ observer: @escaping @GLibActor () -> Void) {
    nextObserver += 1
    observers[nextObserver] = observer
  }

  private func tell() {
    for (_, observer) in observers.sorted(by: { $0.key < $1.key }) { observer() }
  }

  // MARK: Starting

  private func start() async {
    if let session = try? await BusConnection.open(.session) {
      keyring = KeyringSource(session)
      screenSources = ScreenSaverSource.names.map { ScreenSaverSource($0, session) }
    }
    if let system = try? await BusConnection.open(.system, deadline: .seconds(2)) {
      screenSources.append(LogindSource(system))
    }
    let sources = screenSources + (keyring.map { [$0] } ?? [])
    // At once: one that does not answer must not hold up the others.
    let starts = sources.map { source in
      Task.onGLib { await source.start { self.tell() } }
    }
    for start in starts { await start.value }
    tell()
  }
}
