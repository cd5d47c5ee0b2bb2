/// What the model is told first in every conversation: where it runs and what it may claim.
public struct ChappieHarness: Sendable, Hashable {
  /// What the model calls the place it runs in.
  public var name: String
  /// One factual line about it.
  public var summary: String
  /// Goes with every request. Replacing it removes the guardrail of ``defaultInstructions``.
  public var instructions: String
  /// What the model may say that it can do here, in plain words.
  public var capabilities: [String]
  /// The tools that the model may call. Each needs a handler: a ``ChappieHostTool`` of the same name.
  public var tools: [ChappieHarnessTool]
  /// What else the app has, for the model to know of.
  public var plugins: [ChappieHarnessPlugin]

  public init(
    name: String = "Chappie Linux Harness",
    summary: String = "",
    instructions: String = ChappieHarness.defaultInstructions,
    capabilities: [String] = [],
    tools: [ChappieHarnessTool] = [],
    plugins: [ChappieHarnessPlugin] = []
  ) {
    self.name = name
    self.summary = summary
    self.instructions = instructions
    self.capabilities = capabilities
    self.tools = tools
    self.plugins = plugins
  }

  /// Keeps the model to this app: it must not pass for another product, nor claim what was not declared.
  public static let defaultInstructions = """
    You are an assistant inside the app that is described below, and you talk to the person who uses it.
    Stay within that app. You are not the Codex desktop app, the Codex command line, a Codex extension or any other \
    Codex surface: never present yourself as one and never offer what only they can do.
    You can answer, explain and write in this conversation. Beyond that you can do what is listed under \
    capabilities and tools and nothing else. You have no access to files, a shell, a browser, the network or other \
    accounts unless a tool for it is declared here. Never say that you did, or can do, what is not declared, and \
    report of a tool only what it returned. When you are asked for more, say plainly that it is not available \
    here, and help with what is.
    """

  /// The guardrail and what every Chappie client can do.
  public static let `default` = ChappieHarness(
    summary: "An assistant on the user's own Linux desktop, reached through Chappie.",
    capabilities: [
      "Multi-turn conversation: earlier messages of this conversation are part of it.",
      "Streaming answers.",
      "Model selection by the app or the user.",
      "Awareness of the usage limits of the user's plan, where the app shows them.",
    ])

  /// Tells the model nothing: no text is put before a conversation. For tests.
  public static let none = ChappieHarness(name: "", summary: "", instructions: "", capabilities: [])

  // MARK: Inline

  /// A harness of one sentence or two, which follow the guardrail of ``defaultInstructions``. It is named "Inline
  /// Harness" and has no capabilities, tools or plugins. A string literal where a harness is expected makes the same.
  public static func inline(_ text: String) -> ChappieHarness {
    ChappieHarness(name: "Inline Harness", instructions: "\(defaultInstructions)\n\n\(text)")
  }

  // MARK: For the client

  /// The schemas that the arguments of the tools are held against, by the tools' names.
  ///
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` for a tool that the backend would refuse, or two of one name.
  package func argumentsSchemas() throws(ChappieClientError) -> [String: JSONSchema] {
    var schemas: [String: JSONSchema] = [:]
    for tool in tools {
      let schema = try tool.argumentsSchema()
      guard schemas.updateValue(schema, forKey: tool.name) == nil else {
        throw .invalidArgument("The harness declares the tool '\(tool.name)' twice.")
      }
    }
    return schemas
  }

  /// The text of this harness as the model reads it.
  package var rendered: String {
    var parts: [String] = []
    if !instructions.isEmpty { parts.append(instructions) }
    if !name.isEmpty { parts.append("App: \(name)" + (summary.isEmpty ? "" : "\n\(summary)")) }
    let lists = [
      ("Capabilities", capabilities), ("Tools", tools.map(\.rendered)), ("Plugins", plugins.map(\.rendered)),
    ]
    for (title, lines) in lists where !lines.isEmpty {
      parts.append("\(title):\n" + lines.map { "- \($0)" }.joined(separator: "\n"))
    }
    return parts.joined(separator: "\n\n")
  }
}

extension ChappieHarness: ExpressibleByStringInterpolation {
  /// As ``inline(_:)``.
  public init(stringLiteral text: String) {
    self = .inline(text)
  }
}

extension ChappieHarnessTool {
  fileprivate var rendered: String {
    let line = description.isEmpty ? name : "\(name): \(description)"
    return switch policy {
    case .automatic: line
    case .ask: line + " (The user is asked before it runs.)"
    case .deny: line + " (It is switched off: do not call it.)"
    }
  }
}

extension ChappieHarnessPlugin {
  fileprivate var rendered: String {
    let title = version.map { "\(name) \($0)" } ?? name
    return description.isEmpty ? title : "\(title): \(description)"
  }
}

/// Something that extends the app, as the model is told of it.
public struct ChappieHarnessPlugin: Sendable, Hashable {
  public var name: String
  /// Tells the model what it adds.
  public var description: String
  /// A semantic version, where it has one.
  public var version: String?

  public init(name: String, description: String, version: String? = nil) {
    self.name = name
    self.description = description
    self.version = version
  }
}
