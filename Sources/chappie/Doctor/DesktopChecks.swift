import GLibBridge

/// Checks of the desktop around the service: the keyring, the screen lock, notifications, the browser.
@GLibActor
enum DesktopChecks {
  private static let deadline = Duration.seconds(5)

  /// The keyring, and its default collection.
  static func keyring(_ bus: BusConnection) async -> [Finding] {
    let view = await KeyringView(bus)
    let name = view.product.name
    let answers = Finding.ok("keyring", "\(name) answers.")
    let remedy = view.remedy ?? ""
    switch view.state {
    case .absent:
      return [
        .problem("keyring", .keyringNeeded, "No program of this session is a keyring.", remedy),
        .unchecked("collection", "There is no keyring."),
      ]
    case .silent:
      return [
        .problem("keyring", .keyringNeeded, "\(name) does not answer.", remedy),
        .unchecked("collection", "The keyring does not answer."),
      ]
    case .noCollection:
      return [
        answers, .problem("collection", .keyringNeeded, "The keyring has no default collection.", remedy),
      ]
    case .locked: return [answers, .problem("collection", .keyringNeeded, "The default collection is locked.", remedy)]
    case .unlocked: return [answers, .ok("collection", "The default collection is unlocked.")]
    }
  }

  /// The sources that tell whether the screen is locked, as the service follows them.
  static func lock(_ service: ServiceConnection) async -> Finding {
    do {
      let properties = try await service.properties(ServiceConnection.root, "Manager")
      let state = try properties.value("LockState") ?? ""
      let sources = try properties.value("LockSources", as: [String].self)?.filter { $0 != "keyring" } ?? []
      guard sources.isEmpty else {
        return .ok("lock", "The screen is \(state), says \(sources.joined(separator: ", ")).")
      }
      if state == "locked" { return .note("lock", "The keyring is locked; the screen is not known to be.") }
      return .note(
        "lock", "Nothing tells whether the screen is locked, so [Lock] Unknown= of chappie.conf decides.",
        "See chappied(8).")
    } catch {
      return .unchecked("lock", CommandFailure(error).message)
    }
  }

  static func notifications(_ bus: BusConnection) async -> Finding {
    let name = "org.freedesktop.Notifications"
    let path = ObjectPath.root.appending("org").appending("freedesktop").appending("Notifications")
    guard await bus.knows([name]) else {
      return .note(
        "notifications", "No program shows notifications, such as those of a needed sign-in.",
        "Start the desktop's, or install one such as dunst.")
    }
    do {
      let server: String = try await bus.call(name, path, name, "GetServerInformation", timeout: deadline)
        .member(0, "name")
      return .ok("notifications", "\(server) shows notifications.")
    } catch {
      return .note(
        "notifications", "The notification server does not answer: \(CommandFailure(error).message)", "Restart it.")
    }
  }

  static func browser() async -> Finding {
    guard Browser.isReachable else {
      return .note(
        "browser", "There is no display here.", "chappie sign-in shows a code to enter in a browser elsewhere.")
    }
    // The files that tell may be on a disk that does not answer.
    guard let name = try? await withDeadline(deadline, { await offActor { Browser.defaultName } }) else {
      return .note(
        "browser", "No program opens web pages.", "Choose one: xdg-settings set default-web-browser firefox.desktop")
    }
    return .ok("browser", "\(name) opens web pages.")
  }
}
