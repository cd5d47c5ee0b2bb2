// SPDX-License-Identifier: Apache-2.0

/// A desktop's screen locker: a name on the session bus with `GetActive` and `ActiveChanged`.
@GLibActor
final class ScreenSaver {
  /// The reply of a locker to a read of its state.
  enum Manner {
    case answers
    /// It owns the name and never replies.
    case silent
    /// It owns the name for another feature, and refuses the call.
    case refuses
    /// It replies with its state and at the same time signals that the screen is locked now.
    case answersAndLocks
    /// It replies with its first state once ``ScreenSaver/answersNow`` is finished.
    case answersLate
  }

  let name: String
  /// Finished when it is asked for its state.
  let wasAsked = Wait()
  let answersNow = Wait()
  private let connection: BusConnection
  private let manner: Manner
  private var isActive: Bool
  private var object: BusObject?

  init(_ name: String, in world: World, _ manner: Manner = .answers, isActive: Bool = false) async throws {
    self.name = name
    self.manner = manner
    self.isActive = isActive
    connection = try await BusConnection.open(address: world.directories.busAddress)
    let implementation = try BusImplementation.played(
      name, ["GetActive -> b": { [weak self] _ in .tuple(try await self?.answer() ?? false) }],
      signals: ["ActiveChanged b"])
    object = try BusObject.played(connection, .named(name), implementation)
    try await takeName()
    world.keep(self)
  }

  /// Locks or unlocks the screen, and signals it.
  func setActive(_ isActive: Bool) {
    self.isActive = isActive
    object?.emit(name, "ActiveChanged", .tuple(isActive))
  }

  /// Leaves the bus without a signal.
  func leave() async throws {
    try await connection.releaseName(name)
  }

  /// Takes the name, from its owner if there is one.
  func takeName() async throws {
    guard try await connection.requestName(name, allowReplacement: true, replace: true) == .owner else {
      throw UnmetCondition("the name \(name)")
    }
  }

  /// Returns when the bus has what was sent so far.
  func catchUp() async throws {
    try await connection.flush()
  }

  private func answer() async throws -> Bool {
    wasAsked.finish()
    switch manner {
    case .answers: return isActive
    case .silent:
      await Wait().value()
      return false
    case .refuses:
      throw BusError(name: "org.freedesktop.DBus.Error.NotSupported", message: "not implemented")
    case .answersAndLocks:
      let answer = isActive
      Task.onGLib { setActive(true) }
      return answer
    case .answersLate:
      let answer = isActive
      await answersNow.value()
      return answer
    }
  }
}

extension ScreenSaver {
  /// The names of lockers, GNOME's among them.
  nonisolated static let names = ["freedesktop", "gnome", "mate", "cinnamon", "xfce"].map { "org.\($0).ScreenSaver" }
  nonisolated static let gnome = "org.gnome.ScreenSaver"
}
