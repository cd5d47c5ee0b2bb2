// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Joins all lock sources into one state and follows it.
@GLibActor
package final class LockMonitor {
  /// The monitor of this process.
  package static let shared = LockMonitor()

  /// The state of the screen from all sources together.
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

  /// Waits until each source has reported its state. A source that is late counts as silent.
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

  /// Whether the keyring is unlocked. False for a keyring that is absent or does not answer.
  package var isKeyringUnlocked: Bool { keyring.map { $0.reading == .unlocked } ?? true }

  /// Whether another person may be at the screen.
  package var isScreenLocked: Bool { screen == .locked }

  /// Whether a person's consent is valid now. At a locked screen, another person may give it.
  package var mayApprove: Bool {
    switch state {
    case .unlocked, .unknown: true
    case .locked, .beforeFirstUnlock: false
    }
  }

  /// The names of the sources behind ``state``, in alphabetical order.
  package var sources: [String] {
    let reading: LockReading =
      switch state {
      case .locked, .beforeFirstUnlock: .locked
      case .unlocked, .unknown: .unlocked
      }
    let all = screenSources + (keyring.map { [$0] } ?? [])
    return all.filter { $0.reading == reading }.map(\.name).sorted()
  }

  /// Makes the keyring source read its state again. The keyring failed and may not signal its recovery.
  func lookAtKeyring() {
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

  private func tell() {
    log()
    observers.notify(())
  }

  /// Logs a changed state and its sources.
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

  /// Starts all sources at once: a silent source must not delay the others.
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

/// A lock source: logind, a screen saver or the keyring.
@GLibActor
protocol LockSource: AnyObject {
  /// The name in ``LockMonitor/sources``.
  var name: String { get }
  var reading: LockReading { get }

  /// Starts to follow the source. `changed` is called after each change of ``reading``.
  ///
  /// Returns once the initial state has been read or cannot be read.
  func start(_ changed: @escaping @GLibActor () -> Void) async
}

/// The lock state from one source.
enum LockReading: Sendable, Equatable {
  /// The source is absent, or has never proved reliable.
  case silent
  case unlocked
  case locked
}
