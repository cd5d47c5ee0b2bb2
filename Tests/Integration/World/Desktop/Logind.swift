// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A system bus of the world's own, with a logind that python-dbusmock plays.
@GLibActor
final class Logind {
  private static let name = "org.freedesktop.login1"
  private static let path = ObjectPath.named(name)
  private static let mock = "org.freedesktop.DBus.Mock"

  private let directories: WorldDirectories
  private let bus: PrivateBus
  private var process: ChildProcess?
  private let user: ObjectPath

  init(_ world: World) throws {
    directories = world.directories
    guard let user = ObjectPath("\(Self.path)/user/\(getuid())") else { throw UnmetCondition("a path of the user") }
    self.user = user
    bus = PrivateBus(world.directories, name: "system-bus", address: world.directories.systemBusAddress)
    world.adopt(ending: { [self] in
      await quit()
      await bus.end()
    })
  }

  /// Starts the bus, and a logind without a session.
  func start() async throws {
    try await bus.start()
    try await comeBack()
  }

  /// Leaves the bus, as during an upgrade.
  func quit() async {
    await process?.terminate()
    process = nil
  }

  /// Has it answer nothing, or go on.
  func freeze(_ isFrozen: Bool = true) {
    process?.send(isFrozen ? SIGSTOP : SIGCONT)
  }

  /// Starts logind again, with the user and without a session.
  func comeBack() async throws {
    process = try ChildProcess(
      "logind", "/usr/bin/python3", ["-m", "dbusmock", "--system", "--template", "logind"], in: directories)
    try await eventually("logind") { try await connection().owner(of: Self.name) != nil }
    // The template's own method adds a number to a text.
    try await tell(
      Self.path, "AddMethod", "\(Self.name).Manager", "GetUser", "u", "o",
      "ret = '/org/freedesktop/login1/user/%d' % args[0]")
    try await tell(Self.path, "AddUser", UInt32(getuid()), "somebody", true)
    try await emit("UserNew", "uo", [UInt32(getuid()).variant, user.variant])
  }

  // MARK: Sessions

  /// Opens a session. ``display(_:)`` makes it the user's display.
  func login(_ id: String, desktop: String, class: String = "user", isLocked: Bool = false) async throws {
    try await tell(Self.path, "AddSession", id, "seat0", UInt32(getuid()), "somebody", true)
    try await tell(session(id), "AddProperty", "\(Self.name).Session", "Desktop", desktop.variant)
    try await update(session(id), "Session", ["Class": `class`])
    if isLocked { try await setLocked(id, true) }
  }

  /// Makes a session the user's display, or none.
  func display(_ id: String?) async throws {
    // The mock's own method for this accepts no structure.
    try await connection().call(
      Self.name, user, "org.freedesktop.DBus.Properties", "Set",
      .tuple("\(Self.name).User", "Display", Variant.tuple(id ?? "", id.map(session) ?? .root)), timeout: patience)
  }

  /// Sets the hint, as a screen locker does.
  func setLocked(_ id: String, _ isLocked: Bool) async throws {
    try await update(session(id), "Session", ["LockedHint": isLocked])
  }

  private func session(_ id: String) -> ObjectPath { Self.path.appending("session").appending(id) }

  // MARK: Sleep

  /// Signals that the machine is about to sleep, or has woken up.
  func prepareForSleep(_ starts: Bool) async throws {
    try await noteSleep(starts)
    try await emit("PrepareForSleep", "b", [starts.variant])
  }

  /// As ``prepareForSleep(_:)``, without a signal.
  func noteSleep(_ starts: Bool) async throws {
    try await update(Self.path, "Manager", ["PreparingForSleep": starts])
  }

  // MARK: The mock

  private func update(_ path: ObjectPath, _ interface: String, _ properties: VariantDictionary) async throws {
    try await tell(path, "UpdateProperties", "\(Self.name).\(interface)", properties)
  }

  private func emit(_ signal: String, _ type: String, _ arguments: [Variant]) async throws {
    try await tell(Self.path, "EmitSignal", "\(Self.name).Manager", signal, type, arguments)
  }

  private func tell(_ path: ObjectPath, _ member: String, _ arguments: any VariantConvertible...) async throws {
    try await connection().call(Self.name, path, Self.mock, member, .tuple(arguments.map(\.variant)), timeout: patience)
  }

  private func connection() async throws -> BusConnection {
    try await BusConnection.open(address: directories.systemBusAddress)
  }
}
