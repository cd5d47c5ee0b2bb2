// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The program with the window, `org.chappie.Window`, where the desktop has it.
@GLibActor
final class DesktopWindow {
  /// An action of the window.
  enum Action {
    /// Shows the sign-in of the user's default account and starts it.
    case signIn
    /// Copies a sign-in code. A service cannot do that: a clipboard takes text only from a program with the focus.
    case copyCode(String)

    fileprivate var name: String {
      switch self {
      case .signIn: "sign-in"
      case .copyCode: "copy-code"
      }
    }

    fileprivate var parameters: [Variant] {
      switch self {
      case .signIn: []
      case .copyCode(let code): [code.variant.boxed]
      }
    }
  }

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
  func perform(_ action: Action, activationToken: String?) async -> Bool {
    guard await isInstalled() else { return false }
    var context: VariantDictionary = [:]
    if let activationToken {
      context.set("activation-token", activationToken)
      // GLib before 2.76 knows only this name.
      context.set("desktop-startup-id", activationToken)
    }
    do {
      _ = try await connection.call(
        Self.name, Self.path, "org.freedesktop.Application", "ActivateAction",
        .tuple([action.name.variant, .array(of: "v", action.parameters), context.variant]), timeout: Self.deadline)
      return true
    } catch {
      hasFailed = true
      Log.warning("The window of org.chappie.Window did not take the click on a notification.")
      return false
    }
  }
}
