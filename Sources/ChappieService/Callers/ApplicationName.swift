// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// The names of applications, from their desktop files. A sandboxed app exports its own, so a name proves nothing and
/// is shown with the app's id.
enum ApplicationName {
  /// The name that the issuer's consent page and settings show for the application of a slot: the untranslated name of
  /// its desktop file with its id, its id alone without one, or its access group.
  static func registered(_ configuration: ChappieConfiguration) async -> String {
    if let group = configuration.keychainAccessGroup { return group.visibleName() }
    let application = configuration.applicationID
    guard let app = application.attribute else { return application.named(nil) }
    return application.named(await name(of: app, isTranslated: false))
  }

  /// The name of an app for its user, in the user's language; nil without a desktop file.
  static func name(of app: String, isTranslated: Bool = true) async -> String? {
    let file = AppID(app).flatMap(snapFile) ?? app
    // A name with a slash would be searched for in another directory.
    guard !file.contains("/") else { return nil }
    let name = await offActor { InstalledApplication.name(of: file, isTranslated: isTranslated) }
    return name.map { $0.visibleName() }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A snap's file has the names of the snap and of its program, which are the same as a rule.
  private static func snapFile(_ app: AppID) -> String? {
    guard app.isSnap, let snap = app.text.split(separator: ".").last else { return nil }
    return "\(snap)_\(snap)"
  }
}
