import GLibBridge

/// What an error says, in an event or in the body of an HTTP answer.
struct WireError: Equatable {
  let code: String?
  let type: String?
  let message: String?
  let plan: String?
  /// Unix seconds in UTC.
  let resetsAt: Int64?

  init(_ error: JSON) {
    code = error["code"]?.string
    type = error["type"]?.string
    message = error["message"]?.string
    plan = error["plan_type"]?.string
    resetsAt = error["resets_at"]?.integer
  }

  /// The seconds that a message such as “Please try again in 2.5s” asks to wait.
  var delay: Double? {
    guard let message, let start = message.range(of: "try again in ") else { return nil }
    let rest = message[start.upperBound...]
    let number = rest.prefix { $0.isNumber || $0 == "." }
    guard let value = Double(number) else { return nil }
    let unit = rest[number.endIndex...].drop { $0 == " " }
    return unit.hasPrefix("ms") ? value / 1000 : unit.hasPrefix("s") ? value : nil
  }
}

extension StringProtocol {
  /// The first place of `text`.
  fileprivate func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}
