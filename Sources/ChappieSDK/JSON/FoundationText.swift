// SPDX-License-Identifier: Apache-2.0
#if FoundationTypes
  import FoundationEssentials
  import Platform
#endif

/// The types of Foundation that are texts in JSON. Without the trait `FoundationTypes` there are none.
enum FoundationText {
  #if FoundationTypes
    /// Whether a type's own coding is not the text.
    static func includes(_ type: Any.Type) -> Bool { type == Date.self || type == URL.self }

    /// The value that is written as `text`; nil for another type or text.
    static func value(of type: Any.Type, _ text: String) -> Any? {
      if type == URL.self { return URL(string: text) }
      return type == Date.self ? date(text) : nil
    }

    /// A time of RFC 3339 between the years 1970 and 9999. Foundation's reader takes February 30 for March 2, and
    /// ignores what comes after the time.
    private static func date(_ text: String) -> Date? {
      let form = /(.{19})(\.[0-9]+)?(Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])/
      guard let (_, time, fraction, zone) = text.wholeMatch(of: form)?.output,
        let local = try? Date("\(time)Z", strategy: .iso8601), local.formatted(.iso8601) == "\(time)Z",
        let whole = try? Date("\(time)\(zone)", strategy: .iso8601)
      else { return nil }
      let date = whole + (Double("0\(fraction ?? "")") ?? 0)
      return Timestamp(date.timeIntervalSince1970) == nil ? nil : date
    }

    /// The text of a value; nil for other types, and for a `Date` outside of the years 1970 to 9999.
    static func text(of value: Any) -> String? {
      switch value {
      case let date as Date: text(of: date)
      case let url as URL: url.absoluteString
      default: nil
      }
    }

    private static func text(of date: Date) -> String? {
      guard let time = Timestamp(date.timeIntervalSince1970) else { return nil }
      let whole = Date(unixSeconds: time.unixSeconds).formatted(.iso8601)
      let microseconds = Int(date.microseconds)
      return microseconds == 0 ? whole : "\(whole.dropLast()).\("\(1_000_000 + microseconds)".dropFirst())Z"
    }

    /// A value of the type, and the type's format in JSON Schema if it has one; nil for other types.
    static func sample(of type: Any.Type) -> (value: Any, format: String?)? {
      if type == Date.self { return (Date(unixSeconds: 0), "date-time") }
      if type == UUID.self { return (UUID(), "uuid") }
      return type == URL.self ? URL(string: "https://example.org").map { ($0, nil) } : nil
    }
  #else
    static func includes(_ type: Any.Type) -> Bool { false }
    static func value(of type: Any.Type, _ text: String) -> Any? { nil }
    static func text(of value: Any) -> String? { nil }
    static func sample(of type: Any.Type) -> (value: Any, format: String?)? { nil }
  #endif

  /// Why a type of Foundation has no schema, whose own coding the model would not understand; nil for other types.
  static func problem(of type: Any.Type) -> String? {
    let parts = String(reflecting: type).split(separator: ".")
    guard parts.count == 2, ["FoundationEssentials", "Foundation"].contains(parts[0]) else { return nil }
    return switch parts[1] {
    case "Date", "URL": includes(type) ? nil : "\(type) needs the trait FoundationTypes"
    case "Data": "Data has no schema: use a text, such as its base64"
    case "Decimal": "Decimal has no schema: use a text or a Double"
    default: nil
    }
  }
}
