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

  public init(
    name: String = "Chappie Linux Harness",
    summary: String = "",
    instructions: String = ChappieHarness.defaultInstructions,
    capabilities: [String] = []
  ) {
    self.name = name
    self.summary = summary
    self.instructions = instructions
    self.capabilities = capabilities
  }

  /// Keeps the model to this app: it must not pass for another product, nor claim what was not declared.
  public static let defaultInstructions = """
    You are an assistant inside the app that is described below, and you talk to the person who uses it.
    Stay within that app. You are not the Codex desktop app, the Codex command line or any other Codex product: \
    never present yourself as one and never offer what only they can do.
    You can do what is listed under capabilities and nothing else. You have no access to files, a shell, a browser \
    or other accounts unless a tool for it is declared here. When you are asked for more, say plainly that it is \
    not available here, and help with what is.
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

  /// Tells the model nothing. For tests.
  public static let none = ChappieHarness(name: "", summary: "", instructions: "", capabilities: [])

  /// The text of this harness as the model reads it.
  package var rendered: String {
    var parts: [String] = []
    if !instructions.isEmpty { parts.append(instructions) }
    if !name.isEmpty { parts.append("App: \(name)" + (summary.isEmpty ? "" : "\n\(summary)")) }
    if !capabilities.isEmpty {
      parts.append("Capabilities:\n" + capabilities.map { "- \($0)" }.joined(separator: "\n"))
    }
    return parts.joined(separator: "\n\n")
  }
}
