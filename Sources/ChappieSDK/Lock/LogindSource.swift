// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// Reads logind's `LockedHint` of the user's display session, and follows the machine's sleep.
///
/// A `systemd --user` service belongs to no session, so the user's `Display` gives the session. Some lockers never set
/// the hint. An unset hint therefore means unlocked only in a session in which the hint was once seen set, or on a
/// desktop known to set it; elsewhere this source is silent. A set hint always counts, even while logind restarts.
@GLibActor
final class LogindSource: LockSource {
  private static let service = "org.freedesktop.login1"
  private static let managerPath = ObjectPath.root.appending("org").appending("freedesktop").appending("login1")
  /// The longest wait for each reply of logind.
  private static let deadline = Duration.seconds(2)
  /// Desktops whose lockers set the hint, as prefixes of their sessions' `Desktop` in lower case.
  private static let truthfulDesktops = ["gnome", "ubuntu", "kde", "plasma", "pantheon", "budgie", "cosmic"]

  /// The user's graphical session.
  private enum Display {
    /// There is none, or logind does not run.
    case none
    case session(ObjectPath, isTruthful: Bool, subscription: Observation)
  }

  /// The state of the display session's hint.
  private enum Hint {
    case unknown
    case unset
    case set
  }

  let name = "logind"
  private(set) var reading = LockReading.silent {
    didSet { if reading != oldValue { changed() } }
  }
  private let connection: BusConnection
  private var changed: @GLibActor () -> Void = {}
  private var display = Display.none
  private var hint = Hint.unknown
  private var isAsleep = false
  /// The session whose hint was once seen set, so its locker sets it.
  private var provenSession: ObjectPath?
  private var watch: Observation?
  private var managerSignals: Observation?
  private var userSignals: Observation?

  init(_ connection: BusConnection) {
    self.connection = connection
  }

  func start(_ changed: @escaping @GLibActor () -> Void) async {
    self.changed = changed
    managerSignals = connection.subscribe(.init(sender: Self.service, interface: "\(Self.service).Manager")) {
      [weak self] signal in
      switch signal.member {
      case "PrepareForSleep":
        if let starts = try? signal.arguments.member(0, "start", as: Bool.self) { self?.sleep(starts) }
      case "UserNew":
        Task.onGLib { await self?.findUser() }
      default: break
      }
    }
    let first = Wait()
    watch = connection.watchName(Self.service) { [weak self] owner in
      Task.onGLib {
        await self?.ownerChanged(owner)
        first.finish()
      }
    }
    await first.value()
  }

  private func ownerChanged(_ owner: String?) async {
    guard owner != nil else {
      display = .none
      if case .unset = hint { hint = .unknown }
      update()
      return
    }
    await readSleep()
    await findUser()
  }

  private func update() {
    reading =
      switch (hint, display) {
      case _ where isAsleep: .locked
      case (.set, _): .locked
      case (.unset, .session(let session, let isTruthful, _)) where isTruthful || session == provenSession: .unlocked
      default: .silent
      }
  }

  // MARK: Sleep

  /// The machine counts as locked from when it prepares to sleep until it is awake and the hint has been read again.
  private func sleep(_ starts: Bool) {
    isAsleep = starts
    if starts { return update() }
    Task.onGLib {
      if case .session(let session, _, _) = display { await readHint(session) }
      update()
    }
  }

  private func readSleep() async {
    let value = try? await connection.property(
      Self.service, Self.managerPath, "\(Self.service).Manager", "PreparingForSleep", timeout: Self.deadline)
    isAsleep = (try? value?.unboxed.value(as: Bool.self)) ?? false
    update()
  }

  // MARK: The session

  private func findUser() async {
    guard let user = try? await userPath() else { return }
    userSignals = connection.subscribe(
      .init(
        sender: Self.service, path: user, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged")
    ) { [weak self] _ in
      Task.onGLib { await self?.findDisplay(user) }
    }
    await findDisplay(user)
  }

  private func userPath() async throws -> ObjectPath {
    try await connection.call(
      Self.service, Self.managerPath, "\(Self.service).Manager", "GetUser", .tuple(CurrentProcess.userID),
      timeout: Self.deadline
    ).member(0, "user")
  }

  private func findDisplay(_ user: ObjectPath) async {
    let value = try? await connection.property(
      Self.service, user, "\(Self.service).User", "Display", timeout: Self.deadline)
    guard let session = try? value?.unboxed.member(1, "session", as: ObjectPath.self), session != .root,
      await isOfUser(session)
    else {
      display = .none
      hint = .unknown
      return update()
    }
    if case .session(session, _, _) = display { return }
    let isTruthful = await hasTruthfulDesktop(session)
    let subscription = connection.subscribe(
      .init(
        sender: Self.service, path: session, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged")
    ) { [weak self] _ in
      Task.onGLib { await self?.readHint(session) }
    }
    display = .session(session, isTruthful: isTruthful, subscription: subscription)
    await readHint(session)
  }

  /// Whether a session is a user's desktop and not a login screen.
  private func isOfUser(_ session: ObjectPath) async -> Bool {
    await text("Class", of: session).hasPrefix("user")
  }

  private func hasTruthfulDesktop(_ session: ObjectPath) async -> Bool {
    let desktop = await text("Desktop", of: session).lowercased()
    return Self.truthfulDesktops.contains { desktop.hasPrefix($0) }
  }

  private func text(_ property: String, of session: ObjectPath) async -> String {
    let value = try? await connection.property(
      Self.service, session, "\(Self.service).Session", property, timeout: Self.deadline)
    return (try? value?.unboxed.value(as: String.self)) ?? ""
  }

  private func readHint(_ session: ObjectPath) async {
    let value = try? await connection.property(
      Self.service, session, "\(Self.service).Session", "LockedHint", timeout: Self.deadline)
    guard case .session(session, _, _) = display, let isSet = try? value?.unboxed.value(as: Bool.self) else { return }
    if isSet { provenSession = session }
    hint = isSet ? .set : .unset
    update()
  }
}
