// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// The properties of `org.chappie.Session` at one moment.
struct SessionStatus {
  let state: ChappieAuthState
  let deviceLinkState: ChappieDeviceLinkState
  /// What the running sign-in asks of the user, as `SignInStep` tells it. The page of a sign-in in the browser is for
  /// the program that has asked for it.
  let code: String?
  let page: String?
  let expiresAt: Timestamp?
  /// What the user can do now, for a person.
  let message: String
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
    let step: VariantDictionary = try properties.value("SignInStep") ?? [:]
    code = try step.value("code")
    page = try step.value("uri")
    expiresAt = try step.time("expires_at")
    let availability: VariantDictionary = try properties.value("Availability") ?? [:]
    message = try availability.value("message") ?? ""
    method = ChappieSignInMethod(rawValue: try properties.value("AuthMethod") ?? "")
    planUse = try PlanUse(properties)
    let info: VariantDictionary = try properties.value("AccountInfo") ?? [:]
    email = try info.value("email")
    plan = try info.value("plan")
    let error: VariantDictionary = try properties.value("LastError") ?? [:]
    errorName = try error.value("name")
    errorMessage = try error.value("message")
  }

  /// How the stored sign-in was made, in a sentence.
  var methodSentence: String? {
    method.map { $0 == .browser ? tr("The sign-in was made in the browser.") : tr("The sign-in was made with a code.") }
  }

  /// One line for a person.
  var summary: String { sentence.terminalSafeLine }

  private var sentence: String {
    let account = email.map { $0 + (plan.map { " (\($0))" } ?? "") }
    return switch (state, deviceLinkState) {
    case (.signedIn, _): account.map { tr("Signed in as \($0)") } ?? tr("Signed in")
    case (.signingIn, .waitingForApproval):
      code.map { tr("Signing in: enter \($0) at \(page ?? tr("the sign-in page"))") } ?? tr("Signing in")
    case (.signingIn, .waitingForBrowser): tr("Signing in: continue in your browser")
    case (.signingIn, _): tr("Signing in")
    case (.reauthenticationRequired, _):
      account.map { tr("The sign-in as \($0) has ended: run chappie sign-in") }
        ?? tr("The sign-in has ended: run chappie sign-in")
    case (.signedOut, _), (.restoring, _): tr("Signed out: run chappie sign-in")
    }
  }

  /// The status as a JSON object, without unknown members.
  var json: JSONObject {
    var object: JSONObject = [
      "state": state.rawValue, "device_link_state": deviceLinkState.rawValue, "user_code": code,
      code == nil ? "authorization_uri" : "verification_uri": page, "expires_at": expiresAt?.unixSeconds,
      "method": method?.rawValue,
    ]
    if let planUse { object.append(planUse.json) }
    object.append(["email": email, "plan": plan, "error": errorName, "message": errorMessage])
    return object
  }
}

/// Whether requests may use the user's plan, as `org.chappie.Session` tells it. A sign-in with a code does not tell.
struct PlanUse {
  /// Not ``ChappiePlanUse/unknown``.
  let kind: ChappiePlanUse
  /// The page on which the user sees and limits the usage; nil when there is none.
  let page: String?

  /// Nil when it is not known.
  init?(_ properties: VariantDictionary) throws {
    kind = ChappiePlanUse(rawValue: try properties.value("PlanUse") ?? "") ?? .unknown
    guard kind != .unknown else { return nil }
    page = try properties.value("ManageUsageUri").flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Whether the user cannot ask.
  var isRefused: Bool { kind == .notGranted || kind == .notEligible || kind == .limitReached }

  /// A sentence for a person.
  var sentence: String {
    switch kind {
    case .enabled: tr("It uses your ChatGPT plan.")
    case .notGranted: tr("It may not use your ChatGPT plan: chappie sign-in --enable-plan-use asks you to allow it.")
    case .notEligible: tr("ChatGPT does not let this account use its plan here.")
    case .limitReached: tr("The usage limit of the plan, or of this application, is reached.")
    case .unavailable, .unknown: tr("ChatGPT could not tell at the last request whether the plan can be used.")
    }
  }

  /// Where the user sees and limits the usage, in a sentence.
  var management: String? { page.map { tr("Manage usage: \($0.terminalSafeLine)") } }

  /// The sentences, each on a line.
  var text: String { [sentence, management].compactMap(\.self).joined(separator: "\n") }

  /// The text in a panel.
  private var short: String {
    switch kind {
    case .enabled, .unavailable, .unknown: tr("ChatGPT plan")
    case .notGranted, .notEligible: tr("plan not allowed")
    case .limitReached: tr("limit reached")
    }
  }

  /// The form of ``UsageLimits/state`` for a sign-in without figures of the usage.
  var state: PanelState {
    PanelState(
      sentence: text.terminalSafeLine, text: short, kind: kind.rawValue, tooltip: text, properties: json)
  }

  var json: JSONObject { ["plan_use": kind.rawValue, "manage_usage_uri": page] }
}

/// The model that answers for an account when the caller names none.
@GLibActor
struct DefaultModel {
  /// Longer than the service's own timeout for the backend.
  private static let patience = Duration.seconds(10)
  private static let unconfirmed = "unconfirmed"

  let slug: String
  /// The property `ModelSource` of `org.chappie.Client`.
  let source: String

  /// Asks the service, and has it ask the backend if the model is unconfirmed.
  init(_ service: ServiceConnection, _ account: String?) async throws {
    let client = try await service.sharedClient(account)
    var properties = try await service.properties(client, "Client")
    if try properties.value("ModelSource") == Self.unconfirmed {
      // Not interactive: this must not make the keyring ask for its password. A failure leaves it unconfirmed.
      _ = try? await service.call(
        client, "Client", "ListModels", .tuple([:] as VariantDictionary), timeout: Self.patience, interactive: false)
      properties = try await service.properties(client, "Client")
    }
    slug = try properties.value("Model") ?? ""
    source = try properties.value("ModelSource") ?? Self.unconfirmed
  }

  /// A sentence for a person.
  var sentence: String {
    let slug = slug.terminalSafeLine
    return switch source {
    case "chosen": tr("\(slug) answers, because it was chosen.")
    case Self.unconfirmed: tr("\(slug) answers, if the backend still offers it.")
    default: tr("\(slug) answers.")
    }
  }
}
