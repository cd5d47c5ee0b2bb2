// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// What a server wants to know of the user during a call (elicitation).
package struct MCPQuestion: Sendable, Hashable {
  /// A field of a form.
  package struct Field: Sendable, Hashable {
    /// The type in the schema.
    package enum Kind: String, Sendable {
      case text = "string"
      case number, integer
      case flag = "boolean"
    }

    package let name: String
    package let title: String
    package let kind: Kind
    /// The texts that are possible; empty for any.
    package let choices: [String]
    package let isRequired: Bool
  }

  package enum Kind: Sendable, Hashable {
    case form([Field])
    /// The user is to open this page.
    case page(String)
  }

  package let message: String
  package let kind: Kind

  private static let fieldLimit = 20
  /// Parts of names of what is never asked for a server.
  private static let secrets = [
    "password", "passphrase", "passcode", "passwort", "secret", "token", "apikey", "api key", "credential", "pin",
    "otp", "cvv",
  ]

  /// Nil for a question that is not shown: one for a secret, or of an unknown form.
  init?(_ params: ChappieJSONValue) {
    message = ForeignText.clean(params["message"]?.stringValue ?? "", limit: 1000)
    if params["mode"] == "url" {
      guard let page = params["url"]?.stringValue, page.utf8.count <= 2000,
        page.utf8.allSatisfy({ (33...126).contains($0) }),
        page.hasPrefix("https://") || page.hasPrefix("http://")
      else { return nil }
      kind = .page(page)
      return
    }
    let schema = params["requestedSchema"] ?? .null
    let properties = schema["properties"]?.objectValue ?? [:]
    let required = (schema["required"]?.arrayValue ?? []).compactMap(\.stringValue)
    guard properties.count <= Self.fieldLimit else { return nil }
    var fields: [Field] = []
    for (name, property) in properties.sorted(by: { $0.key < $1.key }) {
      guard let field = Field(name, property, isRequired: required.contains(name)), !field.isSecret(property) else {
        return nil
      }
      fields.append(field)
    }
    // The message may say what the names of the fields do not.
    guard !Self.namesSecret(message) || !fields.contains(where: { $0.kind == .text && $0.choices.isEmpty }) else {
      return nil
    }
    kind = .form(fields.filter(\.isRequired) + fields.filter { !$0.isRequired })
  }

  /// Has the question of a server answered.
  ///
  /// - Returns: the result of `elicitation/create`.
  @GLibActor
  static func answer(
    _ params: ChappieJSONValue, by ask: @GLibActor (MCPQuestion) async -> MCPAnswer
  ) async -> ChappieJSONValue {
    guard let question = MCPQuestion(params) else { return ["action": "decline"] }
    let answer = await ask(question)
    guard case .accept(let content) = answer else { return answer.json }
    if case .page = question.kind { return ["action": "accept"] }
    return question.accepts(content) ? answer.json : MCPAnswer.cancel.json
  }

  private func accepts(_ content: [String: ChappieJSONValue]) -> Bool {
    guard case .form(let fields) = kind else { return true }
    return fields.allSatisfy { field in content[field.name].map(field.accepts) ?? !field.isRequired }
      && content.keys.allSatisfy { name in fields.contains { $0.name == name } }
  }

  fileprivate static func namesSecret(_ text: String) -> Bool {
    let words = text.lowercased().split { !$0.isLetter }
    let line = words.joined(separator: " ")
    return secrets.contains { secret in secret.count > 3 ? line.contains(secret) : words.contains { $0 == secret } }
  }
}

extension MCPQuestion.Field {
  fileprivate init?(_ name: String, _ schema: ChappieJSONValue, isRequired: Bool) {
    self.name = name
    self.isRequired = isRequired
    title = ForeignText.line(schema["title"]?.stringValue ?? schema["description"]?.stringValue ?? name)
    guard let kind = schema["type"]?.stringValue.flatMap(Kind.init) else { return nil }
    self.kind = kind
    let choices = schema["enum"]?.arrayValue ?? schema["oneOf"]?.arrayValue?.compactMap { $0["const"] } ?? []
    self.choices = kind == .text ? choices.compactMap(\.stringValue) : []
  }

  /// Whether the field asks for what no server gets this way.
  fileprivate func isSecret(_ schema: ChappieJSONValue) -> Bool {
    schema["format"] == "password"
      || [name, title, schema["description"]?.stringValue ?? ""].contains(where: MCPQuestion.namesSecret)
  }

  fileprivate func accepts(_ value: ChappieJSONValue) -> Bool {
    switch kind {
    case .text: value.stringValue.map { choices.isEmpty || choices.contains($0) } ?? false
    case .number: value.numberValue != nil
    case .integer: value.integerValue != nil
    case .flag: value.boolValue != nil
    }
  }
}

/// The user's answer to a question of a server.
package enum MCPAnswer: Sendable, Hashable {
  /// The values of the form's fields by their names; none for a page that the user has opened.
  case accept([String: ChappieJSONValue])
  case decline
  /// Nobody has answered.
  case cancel
}

extension MCPAnswer {
  package init(_ json: ChappieJSONValue) {
    switch json["action"]?.stringValue {
    case "accept": self = .accept(json["content"]?.objectValue ?? [:])
    case "decline": self = .decline
    default: self = .cancel
    }
  }

  package var json: ChappieJSONValue {
    switch self {
    case .accept(let content): ["action": "accept", "content": .object(content)]
    case .decline: ["action": "decline"]
    case .cancel: ["action": "cancel"]
    }
  }
}
