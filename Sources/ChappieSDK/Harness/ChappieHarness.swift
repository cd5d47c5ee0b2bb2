// SPDX-License-Identifier: Apache-2.0

/// The instructions that begin every conversation: they tell the model where it runs and what it may claim.
public struct ChappieHarness: Sendable, Hashable {
  /// The model's name for the app that it runs in.
  public var name: String
  /// One factual line about the app.
  public var summary: String
  /// Instructions of every request. Replacing them removes the guardrail of ``defaultInstructions``.
  public var instructions: String
  /// The abilities that the model may claim here, in plain words.
  public var capabilities: [String]
  /// The tools that the model may call. Each needs a handler: a ``ChappieHostTool`` of the same name.
  public var tools: [ChappieHarnessTool]
  /// Further parts of the app that the model should know.
  public var plugins: [ChappieHarnessPlugin]

  /// Creates a harness. By default it has the default instructions, and declares no capability, tool or plugin.
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

  /// Limits the model to this app: it must not pose as another product or claim undeclared abilities.
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

  /// The guardrail and the abilities of every Chappie client.
  public static let `default` = ChappieHarness(
    summary: "An assistant on the user's own Linux desktop, reached through Chappie.",
    capabilities: [
      "Multi-turn conversation: earlier messages of this conversation are part of it.",
      "Streaming answers.",
      "Model selection by the app or the user.",
      "Awareness of the usage limits of the user's plan, where the app shows them.",
    ])

  /// Tells the model nothing: no text precedes a conversation. For tests.
  public static let none = ChappieHarness(name: "", summary: "", instructions: "", capabilities: [])

  // MARK: Inline

  /// A harness of one or two sentences after the guardrail of ``defaultInstructions``. Its name is "Inline Harness",
  /// and it has no capabilities, tools or plugins. A string literal in place of a harness makes the same.
  public static func inline(_ text: String) -> ChappieHarness {
    ChappieHarness(name: "Inline Harness", instructions: "\(defaultInstructions)\n\n\(text)")
  }

  // MARK: For the client

  /// The schemas that the tools' arguments must fit, by the tools' names.
  ///
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` for a tool that the backend would refuse, or for a repeated
  ///   name.
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

  /// The text of this harness for the model.
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
  /// Same as ``inline(_:)``.
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

/// An extension of the app, as described to the model.
public struct ChappieHarnessPlugin: Sendable, Hashable {
  /// The plugin's name, as the model reads it.
  public var name: String
  /// Tells the model what the plugin adds.
  public var description: String
  /// A semantic version, if there is one.
  public var version: String?

  /// Creates the description of a plugin.
  public init(name: String, description: String, version: String? = nil) {
    self.name = name
    self.description = description
    self.version = version
  }
}
