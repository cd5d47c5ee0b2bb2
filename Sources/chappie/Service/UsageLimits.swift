import ChappieSDK
import GLibBridge
import Platform

/// The usage limits of the plan, as `org.chappie.Client` reports them.
struct UsageLimits: Equatable {
  struct Window: Equatable {
    let name: String
    let usedPercent: Double
    let minutes: UInt32?
    let resetsAt: Int64?

    init?(_ values: VariantDictionary?, name: String) throws {
      guard let percent: Double = try values?.value("used_percent") else { return nil }
      usedPercent = percent
      minutes = try values?.value("window_minutes")
      resetsAt = try values?.value("resets_at")
      self.name = minutes.map(Self.length) ?? name
    }

    /// A length of time in its largest whole unit: `5 hours`, `7 days`.
    static func length(_ minutes: UInt32) -> String {
      let (count, unit) =
        minutes.isMultiple(of: 1440)
        ? (minutes / 1440, "day") : minutes.isMultiple(of: 60) ? (minutes / 60, "hour") : (minutes, "minute")
      return count == 1 ? "1 \(unit)" : "\(count) \(unit)s"
    }

    var wholePercent: Int { UsageBar(percent: usedPercent).wholePercent }

    var reset: String? { resetsAt.map { "resets \(UnixTime.localText($0))" } }
  }

  let plan: String?
  let primary: Window?
  let secondary: Window?
  let hasCredits: Bool
  let isUnlimited: Bool
  let balance: String?

  init(_ values: VariantDictionary) throws {
    plan = try values.value("plan")
    primary = try Window(try values.value("primary"), name: "Window")
    secondary = try Window(try values.value("secondary"), name: "Long window")
    let credits: VariantDictionary = try values.value("credits") ?? [:]
    hasCredits = try credits.value("has_credits") ?? false
    isUnlimited = try credits.value("unlimited") ?? false
    balance = try credits.value("balance")
  }

  /// Whether nothing is known yet.
  var isEmpty: Bool { windows.isEmpty && plan == nil }

  var windows: [Window] { [primary, secondary].compactMap(\.self) }

  /// The window with the highest usage.
  var fullest: Window? { windows.max { $0.usedPercent < $1.usedPercent } }

  private var planName: String? { plan.map { "\(ChappiePlan(rawValue: $0).displayName) plan" } }

  private var credits: String? {
    if isUnlimited { return "unlimited" }
    return hasCredits ? balance ?? "some" : nil
  }

  // MARK: For people

  /// A line for the plan, and one for each window, with bars.
  var text: String {
    var table = table(divided: false)
    if let columns = Terminal.columns, table.columns > columns { table = self.table(divided: true) }
    let head = (planName ?? "Usage") + (windows.isEmpty && credits == nil ? ": the backend reports no limits" : "")
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
        table.append(window.name, bar, window.reset ?? "")
      }
    }
    if let credits { table.append("Credits", credits) }
    return table
  }

  // MARK: For panels

  /// The members that waybar's custom module takes, and the limits themselves.
  var json: JSONObject {
    var object = WaybarOutput(text: fullest.map { "\($0.wholePercent)%" } ?? "", kind: level, tooltip: tooltip).json
    object.set("percentage", fullest?.wholePercent)
    object.set("plan", plan)
    object.set("primary", primary.map(Self.json))
    object.set("secondary", secondary.map(Self.json))
    object.set("credits", credits)
    return object
  }

  private var level: String {
    switch fullest?.usedPercent {
    case nil: "unknown"
    case let percent? where percent >= 100: "reached"
    case let percent? where percent >= 80: "high"
    default: "normal"
    }
  }

  /// The usage on one line.
  var sentence: String { tooltip.split(separator: "\n").joined(separator: "; ").terminalSafeLine }

  private var tooltip: String {
    let lines = windows.map { window in
      "\(window.name): \(window.wholePercent)%" + (window.reset.map { ", \($0)" } ?? "")
    }
    return ([planName ?? "Usage"] + lines + [credits.map { "Credits: \($0)" }].compactMap(\.self)).joined(
      separator: "\n")
  }

  private static func json(_ window: Window) -> JSONObject {
    var object = JSONObject()
    object.set("used_percent", window.usedPercent)
    object.set("window_minutes", window.minutes)
    object.set("resets_at", window.resetsAt)
    return object
  }
}
