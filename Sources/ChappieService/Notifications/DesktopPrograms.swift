// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// Opens a page in the user's browser.
enum WebPage {
  static func opener(over connection: BusConnection) -> SignInOptions.OpenPage {
    { page, token in await open(page, activationToken: token, over: connection) }
  }

  /// Opens only web addresses. It does nothing without a browser: the user can open the address by hand.
  @GLibActor
  private static func open(_ address: String, activationToken: String?, over connection: BusConnection) async {
    guard let page = WebPageAddress(address) else {
      return Log.warning("The sign-in page was not opened: its address is not that of a web page.")
    }
    if await openThroughPortal(page, activationToken, connection) { return }
    if CurrentProcess.environment("INVOCATION_ID") != nil {
      do {
        return try await openOutsideOfOurUnit(page, activationToken, connection)
      } catch {}
    }
    try? await Browser.open(page, activationToken: activationToken)
  }

  /// - Returns: whether the desktop's portal has taken the page.
  @GLibActor
  private static func openThroughPortal(
    _ page: WebPageAddress, _ activationToken: String?, _ connection: BusConnection
  ) async -> Bool {
    let options: VariantDictionary = ["activation_token": activationToken]
    do {
      _ = try await connection.call(
        "org.freedesktop.portal.Desktop",
        ObjectPath.root.appending("org").appending("freedesktop").appending("portal").appending("desktop"),
        "org.freedesktop.portal.OpenURI", "OpenURI", .tuple("", page.text, options))
      return true
    } catch {
      Log.debug("The portal does not open pages here (\(reason: "\(error)")).")
      return false
    }
  }

  /// A child of a systemd unit inherits its restrictions, under which no browser runs, and ends with the unit. So
  /// systemd starts the browser as its own unit.
  @GLibActor
  private static func openOutsideOfOurUnit(
    _ page: WebPageAddress, _ activationToken: String?, _ connection: BusConnection
  ) async throws {
    let command = ["sh", "-c", #"gio open "$1" || xdg-open "$1""#, "sh", page.text]
    var environment: [String] = []
    if let activationToken {
      environment = ["XDG_ACTIVATION_TOKEN=\(activationToken)", "DESKTOP_STARTUP_ID=\(activationToken)"]
    }
    let properties: [(String, Variant)] = [
      ("Description", tr("Browser for the ChatGPT sign-in").variant),
      ("ExecStart", .array(of: "(sasb)", [.tuple("/bin/sh", command, false)])),
      ("Environment", environment.variant),
      ("Slice", "app.slice".variant),
      // The browser outlives the command that started it.
      ("KillMode", "process".variant),
      ("CollectMode", "inactive-or-failed".variant),
    ]
    let unit = "app-org.chappie-page@\(UInt64.random(in: .min ... .max)).service"
    _ = try await connection.call(
      "org.freedesktop.systemd1", ObjectPath.root.appending("org").appending("freedesktop").appending("systemd1"),
      "org.freedesktop.systemd1.Manager", "StartTransientUnit",
      .tuple([
        unit.variant, "fail".variant,
        .array(of: "(sv)", properties.map { .tuple([$0.variant, $1.boxed]) }),
        .array(of: "(sa(sv))", []),
      ]), autoStart: false)
  }
}

/// The program with the window, `org.chappie.Window`, where the desktop has it.
@GLibActor
final class DesktopWindow {
  /// The action that shows the sign-in of the user's default account and starts it.
  static let signIn = "sign-in"
  /// The action that copies a sign-in code, its parameter. A service cannot do that: a clipboard takes text only from a
  /// program with the focus.
  static let copyCode = "copy-code"

  private static let name = "org.chappie.Window"
  private static let path = ObjectPath.root.appending("org").appending("chappie").appending("Window")
  /// The time limit of a start of the window. After it a click does what it does without the window.
  private static let deadline = Duration.seconds(10)

  private let connection: BusConnection
  /// Whether an action has failed. A button that does nothing is not shown again.
  private(set) var hasFailed = false

  init(_ connection: BusConnection) {
    self.connection = connection
  }

  /// Whether the bus can start the window, and no action has failed.
  func isInstalled() async -> Bool {
    guard !hasFailed else { return false }
    let names: [String]? = try? await connection.call(
      "org.freedesktop.DBus", .root, "org.freedesktop.DBus", "ListActivatableNames", timeout: Self.deadline
    ).member(0, "names")
    return names?.contains(Self.name) == true
  }

  /// Starts the window if necessary, and does `action` there.
  ///
  /// - Parameter activationToken: lets the window take the focus.
  /// - Returns: whether the window has received it.
  func perform(_ action: String, _ parameters: String..., activationToken: String?) async -> Bool {
    guard await isInstalled() else { return false }
    // GLib before 2.76 knows only the second name.
    let context: VariantDictionary = ["activation-token": activationToken, "desktop-startup-id": activationToken]
    do {
      _ = try await connection.call(
        Self.name, Self.path, "org.freedesktop.Application", "ActivateAction",
        .tuple([action.variant, .array(of: "v", parameters.map(\.variant.boxed)), context.variant]),
        timeout: Self.deadline)
      return true
    } catch {
      hasFailed = true
      Log.warning("The window of org.chappie.Window did not take the click on a notification.")
      return false
    }
  }
}
