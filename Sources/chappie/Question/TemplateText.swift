/// A text with variables: `$name` or `${name}`. `$$` is a dollar sign, and so is every other `$`.
struct TemplateText {
  private enum Part {
    case text(Substring)
    case variable(String)
  }

  private let parts: [Part]

  init(_ text: String) {
    var parts: [Part] = []
    var rest = text[...]
    while let dollar = rest.firstIndex(of: "$") {
      parts.append(.text(rest[..<dollar]))
      rest = rest[dollar...].dropFirst()
      if rest.hasPrefix("$") {
        parts.append(.text("$"))
        rest = rest.dropFirst()
      } else if let (name, after) = Self.name(in: rest) {
        parts.append(.variable(name))
        rest = after
      } else {
        parts.append(.text("$"))
      }
    }
    self.parts = parts + [.text(rest)]
  }

  /// The name at the beginning of `text`, and what follows it.
  private static func name(in text: Substring) -> (String, Substring)? {
    let isBraced = text.hasPrefix("{")
    let name = text.dropFirst(isBraced ? 1 : 0).prefix { $0.utf8.allSatisfy(isName) }
    let after = text[name.endIndex...]
    guard Template.isVariable(String(name)), !isBraced || after.hasPrefix("}") else { return nil }
    return (String(name), isBraced ? after.dropFirst() : after)
  }

  /// Whether a byte may be part of a name.
  static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// The names of the variables, in order.
  var variables: [String] {
    parts.compactMap { if case .variable(let name) = $0 { name } else { nil } }
  }

  /// The text with `values` in place of the variables. A value is never searched for variables.
  func filled(_ values: [String: String]) -> String {
    parts.map { part in
      switch part {
      case .text(let text): String(text)
      case .variable(let name): values[name] ?? ""
      }
    }.joined()
  }
}
