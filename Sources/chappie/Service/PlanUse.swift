// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// Whether requests may use the user's plan, as `org.chappie.Session` tells it. A sign-in with a code does not tell.
struct PlanUse: Equatable {
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
      sentence: text.terminalSafeLine, panel: WaybarOutput(text: short, kind: kind.rawValue, tooltip: text),
      properties: json)
  }

  var json: JSONObject {
    var object = JSONObject()
    object.set("plan_use", kind.rawValue)
    object.set("manage_usage_uri", page)
    return object
  }
}
