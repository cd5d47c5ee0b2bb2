// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

extension ChappieSignInMethod {
  /// A sentence for a person.
  var sentence: String {
    switch self {
    case .browser: tr("The sign-in was made in the browser.")
    case .deviceCode: tr("The sign-in was made with a code.")
    }
  }
}

/// The properties of `org.chappie.Session` at one moment.
struct SessionStatus: Equatable {
  let state: ChappieAuthState
  let deviceLinkState: ChappieDeviceLinkState
  let userCode: String?
  let verificationURI: String?
  /// The page of a running sign-in in the browser, for the program that has asked for it.
  let authorizationURI: String?
  let expiresAt: Timestamp?
  /// The method of the stored sign-in; nil when nobody is signed in, or when it is not known.
  let method: ChappieSignInMethod?
  let planUse: PlanUse?
  let email: String?
  let plan: String?
  let errorName: String?
  let errorMessage: String?

  init(_ properties: VariantDictionary) throws {
    state = ChappieAuthState(rawValue: try properties.value("State") ?? "") ?? .signedOut
    deviceLinkState = ChappieDeviceLinkState(rawValue: try properties.value("DeviceLinkState") ?? "") ?? .idle
    let code: VariantDictionary = try properties.value("DeviceCode") ?? [:]
    userCode = try code.value("user_code")
    verificationURI = try code.value("verification_uri")
    let page: VariantDictionary = try properties.value("BrowserPage") ?? [:]
    authorizationURI = try page.value("authorization_uri")
    expiresAt = try code.time("expires_at") ?? page.time("expires_at")
    method = ChappieSignInMethod(rawValue: try properties.value("AuthMethod") ?? "")
    planUse = try PlanUse(properties)
    let info: VariantDictionary = try properties.value("AccountInfo") ?? [:]
    email = try info.value("email")
    plan = try info.value("plan")
    let error: VariantDictionary = try properties.value("LastError") ?? [:]
    errorName = try error.value("name")
    errorMessage = try error.value("message")
  }

  /// One line for a person.
  var summary: String { sentence.terminalSafeLine }

  private var sentence: String {
    switch state {
    case .signedIn: account.map { tr("Signed in as \($0)") } ?? tr("Signed in")
    case .signingIn: progress
    case .reauthenticationRequired:
      account.map { tr("The sign-in as \($0) has ended: run chappie sign-in") }
        ?? tr("The sign-in has ended: run chappie sign-in")
    case .signedOut, .restoring: tr("Signed out")
    }
  }

  private var progress: String {
    switch deviceLinkState {
    case .waitingForApproval:
      userCode.map { tr("Signing in: enter \($0) at \(verificationURI ?? tr("the sign-in page"))") } ?? tr("Signing in")
    case .waitingForBrowser: tr("Signing in: continue in your browser")
    case .verifying: tr("Signing in: checking who has signed in")
    default: tr("Signing in")
    }
  }

  private var account: String? {
    guard let email else { return nil }
    return email + (plan.map { " (\($0))" } ?? "")
  }

  /// The status as a JSON object, without unknown members.
  var json: JSONObject {
    var object = JSONObject()
    object.set("state", state.rawValue)
    object.set("device_link_state", deviceLinkState.rawValue)
    object.set("user_code", userCode)
    object.set("verification_uri", verificationURI)
    object.set("authorization_uri", authorizationURI)
    object.set("expires_at", expiresAt?.unixSeconds)
    object.set("method", method?.rawValue)
    if let planUse { object.append(planUse.json) }
    object.set("email", email)
    object.set("plan", plan)
    object.set("error", errorName)
    object.set("message", errorMessage)
    return object
  }
}
