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

  private var display = Display.none
  private var hint = Hint.unknown
  private var isAsleep = false
  /// The session whose hint was once seen set, so its locker sets it.
  private var provenSession: ObjectPath?
  private var userSignals: Observation?

  init(_ connection: BusConnection) {
    super.init("logind", service: "org.freedesktop.login1", connection)
  }

  override var match: BusConnection.Match { .init(sender: service, interface: "\(service).Manager") }

  override func received(_ signal: BusSignal) {
    switch signal.member {
    case "PrepareForSleep":
      if let starts = try? signal.arguments.member(0, "start", as: Bool.self) { sleep(starts) }
    case "UserNew": Task.onGLib { await findUser() }
    default: break
    }
  }

  override func ownerChanged(_ owner: String?) async {
    guard owner != nil else {
      display = .none
      if case .unset = hint { hint = .unknown }
      return update()
    }
    let value = await property(path, "\(service).Manager", "PreparingForSleep")
    isAsleep = (try? value?.value(as: Bool.self)) ?? false
    update()
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

  /// The machine counts as locked from when it prepares to sleep until it is awake and the hint has been read again.
  private func sleep(_ starts: Bool) {
    isAsleep = starts
    if starts { return update() }
    Task.onGLib {
      if case .session(let session, _, _) = display { await readHint(session) }
      update()
    }
  }

  // MARK: The session

  private func findUser() async {
    let reply = try? await connection.call(
      service, path, "\(service).Manager", "GetUser", .tuple(CurrentProcess.userID), timeout: deadline)
    guard let user = try? reply?.member(0, "user", as: ObjectPath.self) else { return }
    userSignals = follow(user) { [weak self] in await self?.findDisplay(user) }
    await findDisplay(user)
  }

  /// Calls `changed` after each change of an object's properties.
  private func follow(
    _ object: ObjectPath, _ changed: @escaping @GLibActor @Sendable () async -> Void
  ) -> Observation {
    connection.subscribe(
      .init(
        sender: service, path: object, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged")
    ) { _ in Task.onGLib { await changed() } }
  }

  private func findDisplay(_ user: ObjectPath) async {
    let value = await property(user, "\(service).User", "Display")
    // A login screen is no session of the user's.
    guard let session = try? value?.member(1, "session", as: ObjectPath.self), session != .root,
      await text("Class", of: session).hasPrefix("user")
    else {
      display = .none
      hint = .unknown
      return update()
    }
    if case .session(session, _, _) = display { return }
    let desktop = await text("Desktop", of: session).lowercased()
    display = .session(
      session, isTruthful: Self.truthfulDesktops.contains { desktop.hasPrefix($0) },
      subscription: follow(session) { [weak self] in await self?.readHint(session) })
    await readHint(session)
  }

  private func text(_ name: String, of session: ObjectPath) async -> String {
    (try? await property(session, "\(service).Session", name)?.value(as: String.self)) ?? ""
  }

  private func readHint(_ session: ObjectPath) async {
    let value = await property(session, "\(service).Session", "LockedHint")
    guard case .session(session, _, _) = display, let isSet = try? value?.value(as: Bool.self) else { return }
    if isSet { provenSession = session }
    hint = isSet ? .set : .unset
    update()
  }
}
