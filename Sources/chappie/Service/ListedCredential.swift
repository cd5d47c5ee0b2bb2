// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// A credential of the keyring, as `Manager.ListCredentials` returns it.
struct ListedCredential {
  let account: String
  let method: ChappieSignInMethod?
  /// The user's answer on background use.
  let background: String?
  private let app: String?
  private let name: String?
  private let group: String?
  private let state: ChappieAuthState?

  init(_ values: VariantDictionary) throws {
    account = try values.value("account") ?? ""
    method = ChappieSignInMethod(rawValue: try values.value("method") ?? "")
    background = try values.value("background")
    app = try values.value("app")
    name = try values.value("name")
    group = try values.value("access_group")
    state = ChappieAuthState(rawValue: try values.value("state") ?? "")
  }

  /// Whether it is the user's own.
  var isOwn: Bool { app == nil && group == nil }

  /// The application or access group, for a person. An application has chosen its name, so its id is there too.
  var owner: String {
    switch (app, name, group) {
    case (let app?, let name?, _): tr("\(name) (\(app))")
    case (let app?, nil, _): app
    case (nil, _, let group?): tr("access group \(group)")
    case (nil, _, nil): ""
    }
  }

  /// The state and the method of the sign-in, for a person.
  var signIn: String {
    switch (state, method) {
    case (.signedIn, .deviceCode): tr("signed in with a code")
    case (.signedIn, .browser): tr("signed in with the browser")
    case (.signedIn, _): tr("signed in")
    case (.signingIn, _): tr("signing in")
    case (.reauthenticationRequired, _): tr("has ended")
    case (.signedOut, _): tr("cannot be used on this device")
    default: tr("unknown")
    }
  }

  /// The rule for background use, for a person; nil where nothing asks for consent.
  var backgroundUse: String? {
    switch (background, method) {
    case ("allow", _): tr("allowed")
    case ("deny", _): tr("not allowed")
    case ("ask", _), (nil, .browser): tr("asks first")
    default: nil
    }
  }

  /// The credential of an application or an access group as a JSON object, without unknown members.
  var json: JSONObject {
    var object = JSONObject()
    object.set("app", app)
    object.set("name", name)
    object.set("access_group", group)
    object.set("account", account)
    object.set("state", state?.rawValue)
    object.set("method", method?.rawValue)
    object.set("background", background)
    return object
  }
}
