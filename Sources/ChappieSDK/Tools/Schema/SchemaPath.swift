/// The current place in a value or a schema, as a JSON pointer.
struct SchemaPath {
  /// The longest key that is shown in full, in characters. Keys come from the model.
  private static let keyLimit = 40

  /// Empty for a value, `#` or a reference for a schema.
  private let root: String
  private var steps: [Step] = []

  enum Step {
    case key(String)
    case index(Int)
  }

  init(root: String = "") {
    self.root = root
  }

  mutating func enter(_ step: Step) {
    steps.append(step)
  }

  mutating func leave() {
    steps.removeLast()
  }

  /// The last eight steps at most.
  var text: String {
    let shown = steps.suffix(8).map { step in
      switch step {
      case .key(let key): "/" + Self.escaped(Self.shown(key))
      case .index(let index): "/\(index)"
      }
    }
    let text = Self.shown(root) + (steps.count > 8 ? "/…" : "") + shown.joined()
    return text.isEmpty ? "/" : text
  }

  /// A key on one line, truncated if it is too long.
  static func shown(_ key: String) -> String {
    let line = Redaction.message(key)
    return line.count > keyLimit ? line.prefix(keyLimit - 1) + "…" : line
  }

  static func escaped(_ key: String) -> String {
    var text = ""
    for character in key {
      switch character {
      case "~": text += "~0"
      case "/": text += "~1"
      default: text.append(character)
      }
    }
    return text
  }

  static func unescaped(_ key: some StringProtocol) -> String {
    var text = ""
    var rest = key[...]
    while let character = rest.popFirst() {
      guard character == "~", let code = rest.popFirst() else {
        text.append(character)
        continue
      }
      switch code {
      case "0": text.append("~")
      case "1": text.append("/")
      default: text += "~\(code)"
      }
    }
    return text
  }
}
