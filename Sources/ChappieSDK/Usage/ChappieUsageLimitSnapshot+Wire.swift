// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

// Parses the three forms of the backend's usage reports. Quotas of products other than Codex are ignored.

extension ChappieUsageLimitSnapshot {
  /// Reads the header fields of an answer.
  init(headers: HTTPHeaders) {
    self.init { headers["x-codex-\($0)"] }
  }

  /// Reads the header fields inside an error of an event stream.
  init(headers: ChappieJSONValue) {
    self.init { name in
      let value = headers["x-codex-\(name)"]
      return value?.stringValue ?? value?.numberValue.map { String($0) }
    }
  }

  private init(field: (String) -> String?) {
    func window(_ name: String) -> ChappieUsageWindow? {
      ChappieUsageWindow(
        percent: field("\(name)-used-percent").flatMap { Double($0) },
        minutes: field("\(name)-window-minutes").flatMap { Count(text: $0) },
        resetsAt: field("\(name)-reset-at").flatMap { Timestamp(text: $0) })
    }
    func flag(_ name: String) -> Bool? {
      switch field("credits-\(name)")?.lowercased() {
      case "true", "1": true
      case "false", "0": false
      default: nil
      }
    }
    self.init(
      primary: window("primary"), secondary: window("secondary"),
      credits: ChappieUsageCredits(
        hasCredits: flag("has-credits"), unlimited: flag("unlimited"), balance: field("credits-balance")))
  }

  /// Reads a `codex.rate_limits` event. Nil when it reports another quota.
  init?(event: ChappieJSONValue) {
    let limit = event["metered_limit_name"]?.stringValue ?? "codex"
    guard limit == "codex" else { return nil }
    let windows = event["rate_limits"]
    self.init(
      plan: ChappiePlan(wire: event["plan_type"]), primary: ChappieUsageWindow(windows?["primary"]),
      secondary: ChappieUsageWindow(windows?["secondary"]), credits: ChappieUsageCredits(event["credits"]))
  }

  /// Reads an answer of the usage endpoint. Nil for any other answer.
  init?(answer: ChappieJSONValue) {
    guard case .object(let members) = answer, members.keys.contains(where: ["plan_type", "rate_limit"].contains) else {
      return nil
    }
    let windows = answer["rate_limit"]
    self.init(
      plan: ChappiePlan(wire: answer["plan_type"]), primary: ChappieUsageWindow(windows?["primary_window"]),
      secondary: ChappieUsageWindow(windows?["secondary_window"]), credits: ChappieUsageCredits(answer["credits"]))
  }
}

extension ChappieUsageWindow {
  fileprivate init?(_ window: ChappieJSONValue?) {
    guard let window else { return nil }
    let minutes = window["limit_window_seconds"]?.count.flatMap { Count(($0.value + 59) / 60) }
    self.init(
      percent: window["used_percent"]?.numberValue, minutes: window["window_minutes"]?.count ?? minutes,
      resetsAt: window["reset_at"]?.time)
  }

  /// Nil without a percentage, or with only a zero. Impossible lengths and times are left out.
  fileprivate init?(percent: Double?, minutes: Count?, resetsAt: Timestamp?) {
    guard let percent, percent.isFinite else { return nil }
    let minutes = minutes.flatMap { (1...Int(UInt32.max)).contains($0.value) ? $0.value : nil }
    let resetsAt = resetsAt.flatMap { $0 > .distantPast ? ChappieTime(unixSeconds: $0.unixSeconds) : nil }
    guard percent != 0 || minutes != nil || resetsAt != nil else { return nil }
    self.init(usedPercent: min(max(0, percent), 100), windowMinutes: minutes, resetsAt: resetsAt)
  }
}

extension ChappieUsageCredits {
  fileprivate init?(_ credits: ChappieJSONValue?) {
    let balance = credits?["balance"]
    self.init(
      hasCredits: credits?["has_credits"]?.boolValue, unlimited: credits?["unlimited"]?.boolValue,
      balance: balance?.stringValue ?? balance?.numberValue.map { "\($0)" })
  }

  /// Nil when both flags are missing.
  fileprivate init?(hasCredits: Bool?, unlimited: Bool?, balance: String?) {
    guard hasCredits != nil || unlimited != nil else { return nil }
    let balance = balance.map(Redaction.message).flatMap { $0.isEmpty ? nil : $0 }
    self.init(hasCredits: hasCredits ?? false, unlimited: unlimited ?? false, balance: balance)
  }
}

extension ChappiePlan {
  /// The plan by the backend's name. Nil for an invalid name.
  fileprivate init?(wire: ChappieJSONValue?) {
    guard let name = wire?.stringValue.map(Redaction.message), !name.isEmpty else { return nil }
    self.init(rawValue: name)
  }
}
