import ChappieSDK
import GLibBridge

/// The names of applications, from their desktop files. A sandboxed app exports its own, so a name proves nothing.
enum ApplicationName {
  /// The name of everything that acts for the desktop user: the command, the window and the widgets.
  static let desktopUser = "Chappie"
  private static let limit = 64

  /// The name that the issuer's consent page and settings show for an application: the untranslated name of its desktop
  /// file or, without one, its id.
  static func hint(for application: ChappieApplicationID) async -> String {
    guard let app = application.attribute else { return desktopUser }
    guard let name = await name(of: app, isTranslated: false), name.lowercased() != desktopUser.lowercased() else {
      return cleaned(app)
    }
    return name
  }

  /// The name of an app for its user, in the user's language; nil without a desktop file.
  static func forUser(of app: String) async -> String? {
    await name(of: app, isTranslated: true)
  }

  private static func name(of app: String, isTranslated: Bool) async -> String? {
    let file = AppID(app).flatMap(snapFile) ?? app
    // A name with a slash would be searched for in another directory.
    guard !file.contains("/") else { return nil }
    let name = await offActor { InstalledApplication.name(of: file, isTranslated: isTranslated) }
    return name.map(cleaned).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A snap's file has the names of the snap and of its program, which are the same as a rule.
  private static func snapFile(_ app: AppID) -> String? {
    guard app.isSnap, let snap = app.text.split(separator: ".").last else { return nil }
    return "\(snap)_\(snap)"
  }

  /// Text without control and format characters, of at most 64 characters.
  static func cleaned(_ text: String) -> String {
    let scalars = text.unicodeScalars.filter { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: false
      default: true
      }
    }
    return String(String.UnicodeScalarView(scalars.drop(while: \.properties.isWhitespace).prefix(limit)))
  }
}
