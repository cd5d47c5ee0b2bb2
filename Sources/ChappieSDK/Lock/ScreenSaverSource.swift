// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// A screen saver on the session bus with `GetActive` and `ActiveChanged`, as on freedesktop, GNOME, MATE, Cinnamon and
/// Xfce. Its interface has the name of the service.
@GLibActor
final class ScreenSaverSource: LockSource {
  /// The desktops' names for the service.
  static let names = [
    "org.freedesktop.ScreenSaver", "org.gnome.ScreenSaver", "org.mate.ScreenSaver", "org.cinnamon.ScreenSaver",
    "org.xfce.ScreenSaver",
  ]

  /// The number of changes reported so far.
  private var changes = 0

  init(_ name: String, _ connection: BusConnection) {
    super.init(name, service: name, connection)
  }

  override var match: BusConnection.Match { .init(sender: service, interface: service, member: "ActiveChanged") }

  override func received(_ signal: BusSignal) {
    guard let active = try? signal.arguments.member(0, "active", as: Bool.self) else { return }
    changes += 1
    show(active)
  }

  override func ownerChanged(_ owner: String?) async {
    guard owner != nil else {
      reading = .silent
      return
    }
    // A locker that owns the name and does not answer counts as unknown. A signal during the query is newer than its
    // answer.
    let before = changes
    let active = try? await connection.call(service, path, service, "GetActive", timeout: deadline, autoStart: false)
      .member(0, "active", as: Bool.self)
    if let active, changes == before { show(active) }
  }

  private func show(_ active: Bool) {
    reading = active ? .locked : .unlocked
  }
}
