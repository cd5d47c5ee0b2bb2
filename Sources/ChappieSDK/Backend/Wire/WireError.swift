/// The content of an error, in an event or in the body of an HTTP response.
struct WireError: Equatable {
  let code: String?
  let type: String?
  let message: String?
  /// The part of the request that the error is about.
  let parameter: String?
  let plan: String?
  /// Unix seconds in UTC.
  let resetsAt: Int64?

  init(_ error: ChappieJSONValue) {
    code = error["code"]?.stringValue
    type = error["type"]?.stringValue
    message = error["message"]?.stringValue
    parameter = error["param"]?.stringValue.flatMap(Redaction.name)
    plan = error["plan_type"]?.stringValue.map(Redaction.message)
    resetsAt = error["resets_at"]?.truncatedValue
  }

  /// The delay in seconds that a message such as “Please try again in 2.5s” asks for.
  var delay: Double? {
    let words = message?.split { !($0.isLetter || $0.isNumber || $0 == ".") } ?? []
    guard let start = words.indices.first(where: { words[$0...].starts(with: ["try", "again", "in"]) }) else {
      return nil
    }
    let rest = words[(start + 3)...].joined()
    let number = rest.prefix { $0.isNumber || $0 == "." }
    guard let value = Double(number) else { return nil }
    let unit = rest[number.endIndex...]
    return unit.hasPrefix("ms") ? value / 1000 : unit.hasPrefix("s") ? value : nil
  }
}
