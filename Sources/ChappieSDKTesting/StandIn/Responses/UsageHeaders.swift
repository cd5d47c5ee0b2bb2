import FoundationEssentials

/// The header fields that tell how much of the plan is used: a little more with each answer.
struct UsageHeaders {
  private var answers = 0
  private let start = Int(Date().timeIntervalSince1970)

  /// The fields of the next answer.
  mutating func next() -> [(name: String, value: String)] {
    answers += 1
    return window("primary", used: 12 + 0.5 * Double(answers), minutes: 300)
      + window("secondary", used: 4 + 0.25 * Double(answers), minutes: 10080)
      + [
        ("x-codex-credits-has-credits", "false"), ("x-codex-credits-unlimited", "false"),
        ("x-codex-credits-balance", "0"),
      ]
  }

  private func window(_ name: String, used: Double, minutes: Int) -> [(name: String, value: String)] {
    [
      ("x-codex-\(name)-used-percent", String(min(used, 100))), ("x-codex-\(name)-window-minutes", String(minutes)),
      ("x-codex-\(name)-reset-at", String(start + minutes * 60)),
    ]
  }
}
