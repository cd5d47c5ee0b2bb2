// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import FoundationEssentials
import GLibBridge
import HTTPTestServer

/// The usage of the plan. The usage endpoint, header fields and frames report it.
@GLibActor
final class UsageMeter {
  private struct Window {
    var usedPercent = 0.0
    var minutes: Int
    /// The time of the reset, in Unix seconds.
    var resetAt: Int
    /// The percentage that each answer adds. Growth alone never reaches the limit.
    var growth = 0.0

    static let form = JSONForm.members([
      "used_percent": .number(0...100), "window_minutes": .integer(1...525_600),
      "reset_at": .integer(0...Int(Int32.max) * 8), "growth": .number(0...100),
    ])

    init(minutes: Int) {
      self.minutes = minutes
      resetAt = UsageMeter.now + minutes * 60
    }

    mutating func set(_ json: ChappieJSONValue) {
      usedPercent = json["used_percent"]?.numberValue ?? usedPercent
      minutes = json["window_minutes"]?.wholeNumber ?? minutes
      resetAt = json["reset_at"]?.wholeNumber ?? resetAt
      growth = json["growth"]?.numberValue ?? growth
    }
  }

  /// The windows in their order, with their usual length in minutes.
  private static let kinds = [("primary", 300), ("secondary", 10080)]

  private static let form = JSONForm.members([
    "plan": .string, "primary": Window.form.orNull, "secondary": Window.form.orNull,
    "credits": .members(["has_credits": .bool, "unlimited": .bool, "balance": .string]),
  ])

  /// The plan; nil for the plan of the user.
  private(set) var plan: String?
  private var windows: [String: Window] = [:]
  private var credits: [String: ChappieJSONValue] = ["has_credits": false, "unlimited": false, "balance": "0"]

  init() {
    change([
      "primary": ["used_percent": 12, "growth": 0.5], "secondary": ["used_percent": 4, "growth": 0.25],
    ])
  }

  nonisolated static var now: Int { Int(Date().timeIntervalSince1970) }

  /// Sets the members that a control request names. If the request is invalid, nothing changes.
  ///
  /// `{"plan": "pro", "primary": {"used_percent": 42.5, "reset_at": 1893456000, "window_minutes": 300, "growth": 0.5},
  /// "secondary": null, "credits": {"has_credits": true, "unlimited": false, "balance": "12.3"}}`
  func set(_ json: ChappieJSONValue) throws(StandInScenarioError) {
    try Self.form.check(json, as: "usage")
    change(json)
  }

  private func change(_ json: ChappieJSONValue) {
    plan = json["plan"]?.stringValue ?? plan
    credits.merge(json["credits"]?.objectValue ?? [:]) { $1 }
    for (name, minutes) in Self.kinds {
      guard let change = json[name] else { continue }
      var window = windows[name] ?? Window(minutes: minutes)
      window.set(change)
      windows[name] = change.isNull ? nil : window
    }
  }

  /// Adds the growth for one answer to each window.
  func grow() {
    windows = windows.mapValues { window in
      var grown = window
      if window.usedPercent < 99 { grown.usedPercent = min(window.usedPercent + window.growth, 99) }
      return grown
    }
  }

  /// The exhausted window with the latest reset; nil if there is none, or if credits are left.
  private var limit: Window? {
    guard credits["has_credits"] == false, credits["unlimited"] == false else { return nil }
    return windows.values.filter { $0.usedPercent >= 100 }.max { $0.resetAt < $1.resetAt }
  }

  /// Refuses a request if the limit is reached.
  func checkLimit(_ user: StandInUser) throws(HTTPServerResponse) {
    guard let limit else { return }
    let error: ChappieJSONValue = [
      "type": "usage_limit_reached", "message": "The usage limit has been reached",
      "plan_type": .string(plan ?? user.plan), "resets_at": ChappieJSONValue(limit.resetAt),
      "resets_in_seconds": ChappieJSONValue(max(0, limit.resetAt - Self.now)),
    ]
    throw .json(["error": error], status: 429, headers: headers)
  }

  /// The header fields of an answer.
  var headers: HeaderFields {
    var fields: HeaderFields = []
    for (name, _) in Self.kinds {
      guard let window = windows[name] else { continue }
      fields.append(("x-codex-\(name)-used-percent", "\(window.usedPercent)"))
      fields.append(("x-codex-\(name)-window-minutes", "\(window.minutes)"))
      fields.append(("x-codex-\(name)-reset-at", "\(window.resetAt)"))
    }
    for (name, value) in credits.sorted(by: { $0.key < $1.key }) {
      fields.append(("x-codex-credits-\(name.replacing("_", with: "-"))", value.stringValue ?? value.json))
    }
    return fields
  }

  /// The frame on a WebSocket.
  func event(_ user: StandInUser) -> ChappieJSONValue {
    func frame(_ name: String) -> ChappieJSONValue {
      guard let window = windows[name] else { return .null }
      return [
        "used_percent": .number(window.usedPercent), "window_minutes": ChappieJSONValue(window.minutes),
        "reset_at": ChappieJSONValue(window.resetAt),
      ]
    }
    return [
      "type": "codex.rate_limits", "plan_type": .string(plan ?? user.plan), "metered_limit_name": .null,
      "rate_limits": ["primary": frame("primary"), "secondary": frame("secondary")], "credits": .object(credits),
    ]
  }

  /// The answer of the usage endpoint.
  func json(_ user: StandInUser) -> ChappieJSONValue {
    func member(_ name: String) -> ChappieJSONValue {
      guard let window = windows[name] else { return .null }
      return [
        "used_percent": ChappieJSONValue(Int(window.usedPercent.rounded())),
        "limit_window_seconds": ChappieJSONValue(window.minutes * 60),
        "reset_after_seconds": ChappieJSONValue(max(0, window.resetAt - Self.now)),
        "reset_at": ChappieJSONValue(window.resetAt),
      ]
    }
    return [
      "plan_type": .string(plan ?? user.plan), "credits": .object(credits),
      "rate_limit": [
        "allowed": .bool(limit == nil), "limit_reached": .bool(limit != nil),
        "primary_window": member("primary"), "secondary_window": member("secondary"),
      ],
      "spend_control": .null, "additional_rate_limits": .null, "rate_limit_reached_type": .null,
      "rate_limit_reset_credits": .null,
    ]
  }
}
