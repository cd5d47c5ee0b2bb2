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

  /// The user's graphical session. Nil if there is none, or logind does not run.
  private var display: (session: ObjectPath, isTruthful: Bool, subscription: Observation)?
  /// Whether the display session's hint is set. Nil while it is unknown.
  private var isHinted: Bool?
  private var isAsleep = false
  /// The number of signals about sleep so far.
  private var sleepSignals = 0
  /// The number of searches for the display session so far, and of owners of logind's name.
  private var searches = 0
  /// The session whose hint was once seen set, so its locker sets it.
  private var provenSession: ObjectPath?
  private var userSignals: Observation?

  init(_ connection: BusConnection) {
    super.init("logind", service: "org.freedesktop.login1", connection)
  }

  override var match: BusConnection.Match { .init(interface: "\(service).Manager") }

  override func received(_ signal: BusSignal) {
    switch signal.member {
    case "PrepareForSleep":
      if let starts = try? signal.arguments.member(0, "start", as: Bool.self) { sleep(starts) }
    case "UserNew": Task.onGLib { await findUser() }
    default: break
    }
  }

  override func ownerChanged(_ owner: String?) async {
    searches += 1
    guard owner != nil else {
      display = nil
      if isHinted == false { isHinted = nil }
      return update()
    }
    let before = sleepSignals
    let isPreparing: Bool? = await property(path, "\(service).Manager", "PreparingForSleep")
    // A signal during the query is newer than its answer.
    if let isPreparing, sleepSignals == before { isAsleep = isPreparing }
    update()
    await findUser()
  }

  private func update() {
    reading =
      switch (isHinted, display) {
      case _ where isAsleep: .locked
      case (true, _): .locked
      case (false, let display?) where display.isTruthful || display.session == provenSession: .unlocked
      default: .silent
      }
  }

  /// The machine counts as locked from when it prepares to sleep until it is awake and the hint has been read again.
  private func sleep(_ starts: Bool) {
    sleepSignals += 1
    isAsleep = starts
    if starts { return update() }
    Task.onGLib {
      if let display { await readHint(display.session) }
      update()
    }
  }

  // MARK: The session

  private func findUser() async {
    let reply = try? await connection.call(
      service, path, "\(service).Manager", "GetUser", .tuple(CurrentProcess.userID), timeout: nil)
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
    searches += 1
    let search = searches
    let found = await displaySession(of: user)
    // The end of logind fails its answers, which are none. A newer search has newer ones.
    guard search == searches else { return }
    guard let (session, desktop) = found else {
      display = nil
      isHinted = nil
      return update()
    }
    if display?.session == session { return }
    display = (
      session, isTruthful: Self.truthfulDesktops.contains { desktop.hasPrefix($0) },
      subscription: follow(session) { [weak self] in await self?.readHint(session) }
    )
    await readHint(session)
  }

  /// The user's display session and its desktop, in lower case. A login screen is no session of the user's.
  private func displaySession(of user: ObjectPath) async -> (session: ObjectPath, desktop: String)? {
    let value: Variant? = await property(user, "\(service).User", "Display")
    guard let session = try? value?.member(1, "session", as: ObjectPath.self), session != .root,
      let kind: String = await property(session, "\(service).Session", "Class"), kind.hasPrefix("user")
    else { return nil }
    return (session, (await property(session, "\(service).Session", "Desktop") ?? "").lowercased())
  }

  private func readHint(_ session: ObjectPath) async {
    let isSet: Bool? = await property(session, "\(service).Session", "LockedHint")
    guard display?.session == session, let isSet else { return }
    if isSet { provenSession = session }
    isHinted = isSet
    update()
  }
}

/// A screen saver on the session bus with `GetActive` and `ActiveChanged`, as on freedesktop, GNOME, MATE, Cinnamon and
/// Xfce. Its interface has the name of the service.
@GLibActor
final class ScreenSaverSource: LockSource {
  /// The desktops' names for the service.
  static let names = [
    "org.freedesktop.ScreenSaver", "org.gnome.ScreenSaver", "org.mate.ScreenSaver", "org.cinnamon.ScreenSaver",
    "org.xfce.ScreenSaver",
  ]

  /// The number of changes so far, of the state and of the owner.
  private var changes = 0

  init(_ name: String, _ connection: BusConnection) {
    super.init(name, service: name, connection)
  }

  override var match: BusConnection.Match { .init(interface: service, member: "ActiveChanged") }

  override func received(_ signal: BusSignal) {
    guard let active = try? signal.arguments.member(0, "active", as: Bool.self) else { return }
    changes += 1
    show(active)
  }

  override func ownerChanged(_ owner: String?) async {
    changes += 1
    guard owner != nil else {
      reading = .silent
      return
    }
    // A locker that owns the name counts as unknown until it answers. A signal or another owner during the query is
    // newer than its answer.
    let before = changes
    let active = try? await connection.call(service, path, service, "GetActive", timeout: nil, autoStart: false)
      .member(0, "active", as: Bool.self)
    if let active, changes == before { show(active) }
  }

  private func show(_ active: Bool) {
    reading = active ? .locked : .unlocked
  }
}
