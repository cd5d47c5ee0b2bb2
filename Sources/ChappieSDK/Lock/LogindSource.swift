import GLibBridge

/// logind's `LockedHint` of the user's display session, and the machine's sleep.
///
/// A `systemd --user` service belongs to no session, so the session is found by the user's `Display`. The hint is
/// only as good as the locker: some never set it. It counts as unlocked once it was seen to be set, or where the
/// desktop is known to set it; a hint that is set always counts.
@GLibActor
final class LogindSource: LockSource {
  private static let service = "org.freedesktop.login1"
  private static let managerPath = ObjectPath.root.appending("org").appending("freedesktop").appending("login1")
  private static let deadline = Duration.seconds(2)
  /// Desktops whose lockers set the hint, as the `Desktop` of their sessions begins.
  private static let truthfulDesktops = ["gnome", "ubuntu", "kde", "plasma", "pantheon", "budgie", "cosmic"]

  private enum Display {
    case none
    case session(ObjectPath, subscription: BusSubscription)
  }

  let name = "logind"
  private(set) var reading = LockReading.silent {
    didSet { if reading != oldValue { changed() } }
  }
  private let connection: BusConnection
  private var changed: @GLibActor () -> Void = {}
  private var display = Display.none
  private var isTruthful = false
  private var isAsleep = false
  private var watch: BusNameWatch?
  private var subscriptions: [BusSubscription] = []

  init(_ connection: BusConnection) {
    self.connection = connection
  }

  func start(_ changed: @escaping @GLibActor () -> Void) async {
    self.changed = changed
    subscriptions.append(
      connection.subscribe(.init(sender: Self.service, interface: "\(Self.service).Manager", member: "PrepareForSleep"))
      {
        [weak self] signal in
        if let starts = try? signal.arguments.member(0, "start", as: Bool.self) { self?.sleep(starts) }
      })
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
      reading = .silent
      return
    }
    guard let user = try? await userPath() else { return }
    subscriptions.removeAll { $0 !== subscriptions.first }
    subscriptions.append(
      connection.subscribe(
        .init(
          sender: Self.service, path: user, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged")
      ) { [weak self] _ in
        Task.onGLib { await self?.findDisplay(user) }
      })
    await findDisplay(user)
  }

  private func userPath() async throws -> ObjectPath {
    try await connection.call(
      Self.service, Self.managerPath, "\(Self.service).Manager", "GetUser", .tuple(UserID.own), timeout: Self.deadline
    ).member(0, "user")
  }

  private func findDisplay(_ user: ObjectPath) async {
    let value = try? await connection.property(
      Self.service, user, "\(Self.service).User", "Display", timeout: Self.deadline)
    guard let session = try? value?.unboxed.member(1, "session", as: ObjectPath.self), session != .root else {
      display = .none
      reading = isAsleep ? .locked : .silent
      return
    }
    if case .session(session, _) = display { return }
    let subscription = connection.subscribe(
      .init(
        sender: Self.service, path: session, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged")
    ) { [weak self] _ in
      Task.onGLib { await self?.readHint(session) }
    }
    display = .session(session, subscription: subscription)
    isTruthful = await hasTruthfulDesktop(session)
    await readHint(session)
  }

  private func hasTruthfulDesktop(_ session: ObjectPath) async -> Bool {
    let value = try? await connection.property(
      Self.service, session, "\(Self.service).Session", "Desktop", timeout: Self.deadline)
    let desktop = (try? value?.unboxed.value(as: String.self))?.lowercased() ?? ""
    return Self.truthfulDesktops.contains { desktop.hasPrefix($0) }
  }

  private func readHint(_ session: ObjectPath) async {
    let value = try? await connection.property(
      Self.service, session, "\(Self.service).Session", "LockedHint", timeout: Self.deadline)
    guard let hint = try? value?.unboxed.value(as: Bool.self) else { return }
    if hint { isTruthful = true }
    reading = isAsleep || hint ? .locked : isTruthful ? .unlocked : .silent
  }

  /// While the machine prepares to sleep it counts as locked; what the lock is afterwards is read again.
  private func sleep(_ starts: Bool) {
    isAsleep = starts
    if starts {
      reading = .locked
    } else if case .session(let session, _) = display {
      Task.onGLib { await readHint(session) }
    } else {
      reading = .silent
    }
  }
}
