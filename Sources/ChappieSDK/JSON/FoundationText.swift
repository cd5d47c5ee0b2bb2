// SPDX-License-Identifier: Apache-2.0
#if FoundationTypes
  import FoundationEssentials
#endif

/// The types of Foundation that are texts in JSON. Without the trait `FoundationTypes` there are none.
enum FoundationText {
  #if FoundationTypes
    /// Whether a type's own coding is not the text.
    static func includes(_ type: Any.Type) -> Bool { type == Date.self || type == URL.self }

    /// The value that is written as `text`; nil for another type or text.
    static func value(of type: Any.Type, _ text: String) -> Any? {
      if type == URL.self { return URL(string: text) }
      guard type == Date.self else { return nil }
      return (try? Date(text, strategy: .iso8601))
        ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }

    /// The text of a value; nil for other types.
    static func text(of value: Any) -> String? {
      switch value {
      case let date as Date: date.formatted(.iso8601)
      case let url as URL: url.absoluteString
      default: nil
      }
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

  /// Whether the trait is needed for the type, whose own coding the model would not understand.
  static func isMissing(_ type: Any.Type) -> Bool {
    let name = String(reflecting: type)
    return !includes(type)
      && ["Date", "URL"].contains { name == "FoundationEssentials.\($0)" || name == "Foundation.\($0)" }
  }
}
