// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// A screen saver on the session bus with `GetActive` and `ActiveChanged`, as on freedesktop, GNOME, MATE, Cinnamon and
/// Xfce.
@GLibActor
final class ScreenSaverSource: LockSource {
  /// The desktops' names for the service. The interface has the same name, and the path follows from it.
  static let names = [
    "org.freedesktop.ScreenSaver", "org.gnome.ScreenSaver", "org.mate.ScreenSaver", "org.cinnamon.ScreenSaver",
    "org.xfce.ScreenSaver",
  ]

  private static let deadline = Duration.seconds(2)

  let name: String
  private(set) var reading = LockReading.silent {
    didSet { if reading != oldValue { changed() } }
  }
  private let connection: BusConnection
  private let path: ObjectPath
  private var changed: @GLibActor () -> Void = {}
  private var watch: Observation?
  private var subscription: Observation?
  /// The number of changes reported so far.
  private var changes = 0

  init(_ name: String, _ connection: BusConnection) {
    self.name = name
    self.connection = connection
    path = name.split(separator: ".").reduce(ObjectPath.root) { $0.appending(String($1)) }
  }

  func start(_ changed: @escaping @GLibActor () -> Void) async {
    self.changed = changed
    // The subscription comes before the query, so no change between them is missed.
    subscription = connection.subscribe(.init(sender: name, interface: name, member: "ActiveChanged")) {
      [weak self] signal in
      guard let self, let active = try? signal.arguments.member(0, "active", as: Bool.self) else { return }
      changes += 1
      show(active)
    }
    let first = Wait()
    watch = connection.watchName(name) { [weak self] owner in
      Task.onGLib {
        await self?.ownerChanged(owner)
        first.finish()
      }
    }
    await first.value()
  }

  private func ownerChanged(_ owner: String?) async {
    guard owner != nil else {
      reading = .silent
      return
    }
    // A locker that owns the name and does not answer counts as unknown. A signal during the query is newer than its
    // answer.
    let before = changes
    let active = try? await connection.call(name, path, name, "GetActive", timeout: Self.deadline, autoStart: false)
      .member(0, "active", as: Bool.self)
    if let active, changes == before { show(active) }
  }

  private func show(_ active: Bool) {
    reading = active ? .locked : .unlocked
  }
}
