// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// The usage limits of the plan, as `org.chappie.Client` reports them.
struct UsageLimits {
  struct Window {
    let name: String
    let usedPercent: Double
    let minutes: UInt32?
    let resetsAt: Timestamp?

    init?(_ values: VariantDictionary?, name: String) throws {
      guard let percent: Double = try values?.value("used_percent") else { return nil }
      usedPercent = percent
      minutes = try values?.value("window_minutes")
      resetsAt = try values?.time("resets_at")
      self.name = minutes.map(Self.name) ?? name
    }

    /// The name of a limit, by its length in the largest whole unit: `5-hour limit`.
    static func name(_ minutes: UInt32) -> String {
      let minutes = Int(minutes)
      if minutes.isMultiple(of: 1440) { return tr("\(minutes / 1440)-day limit") }
      if minutes.isMultiple(of: 60) { return tr("\(minutes / 60)-hour limit") }
      return tr("\(minutes)-minute limit")
    }

    var wholePercent: Int { UsageBar(percent: usedPercent).wholePercent }

    var reset: String? { resetsAt.map { tr("resets \($0.shortLocalText)") } }

    var json: JSONObject {
      ["used_percent": usedPercent, "window_minutes": minutes, "resets_at": resetsAt?.unixSeconds]
    }
  }

  let plan: String?
  let primary: Window?
  let secondary: Window?
  private let credits: String?

  init(_ values: VariantDictionary) throws {
    plan = try values.value("plan")
    primary = try Window(try values.value("primary"), name: tr("Limit"))
    secondary = try Window(try values.value("secondary"), name: tr("Longer limit"))
    let credits: VariantDictionary = try values.value("credits") ?? [:]
    let balance: String? = try credits.value("balance")
    let hasCredits = try credits.value("has_credits") ?? false
    self.credits = try credits.value("unlimited") ?? false ? "unlimited" : hasCredits ? balance ?? "some" : nil
  }

  /// Whether nothing is known yet.
  var isEmpty: Bool { windows.isEmpty && plan == nil }

  var windows: [Window] { [primary, secondary].compactMap(\.self) }

  /// The window with the highest usage.
  var fullest: Window? { windows.max { $0.usedPercent < $1.usedPercent } }

  private var planName: String? { plan.map { tr("\(ChappiePlan(rawValue: $0).displayName) plan") } }

  private var shownCredits: String? {
    switch credits {
    case "unlimited": tr("unlimited")
    case "some": tr("some", context: "credits")
    case let balance: balance
    }
  }

  // MARK: For people

  /// A line for the plan, and one for each window, with bars.
  var text: String {
    var table = table(divided: false)
    if let columns = Terminal.columns, table.columns > columns { table = self.table(divided: true) }
    let name = planName ?? tr("Usage")
    let head = windows.isEmpty && credits == nil ? tr("\(name): the backend reports no limits") : name
    return head.terminalSafeLine + "\n" + table.text
  }

  /// - Parameter divided: whether the time of the reset has a line of its own.
  private func table(divided: Bool) -> Table {
    var table = Table()
    for window in windows {
      let bar = UsageBar(percent: window.usedPercent).text
      if divided {
        table.append(window.name, bar)
        if let reset = window.reset { table.append("", reset) }
      } else {
        table.append(window.name, tr("\(bar) used"), window.reset ?? "")
      }
    }
    if let credits = shownCredits { table.append(tr("Credits"), credits) }
    return table
  }

  // MARK: For panels

  /// The window that is used most, and the limits themselves.
  var state: PanelState {
    PanelState(
      sentence: tooltip.split(separator: "\n").joined(separator: "; ").terminalSafeLine,
      text: fullest.map { "\($0.wholePercent)%" } ?? "", kind: level, tooltip: tooltip,
      properties: json)
  }

  private var json: JSONObject {
    [
      "percentage": fullest?.wholePercent, "plan": plan, "primary": primary?.json, "secondary": secondary?.json,
      "credits": credits,
    ]
  }

  private var level: String {
    switch fullest?.usedPercent {
    case nil: "unknown"
    case let percent? where percent >= 100: "reached"
    case let percent? where percent >= 80: "high"
    default: "normal"
    }
  }

  private var tooltip: String {
    let lines = windows.map { window in
      tr("\(window.name): \(UsageBar.figure(window.wholePercent)) used") + (window.reset.map { ", \($0)" } ?? "")
    }
    return ([planName ?? tr("Usage")] + lines + [shownCredits.map { tr("Credits: \($0)") }].compactMap(\.self)).joined(
      separator: "\n")
  }
}
