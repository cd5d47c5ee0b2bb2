// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// Opens a page in the user's browser.
enum WebPage {
  /// Opens only web addresses. It does nothing without a browser: the user can open the address by hand.
  @GLibActor
  static func open(_ address: String, activationToken: String?, over connection: BusConnection) async {
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
    var options = VariantDictionary()
    options.set("activation_token", activationToken)
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
