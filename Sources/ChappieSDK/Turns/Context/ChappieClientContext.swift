/// A client's conversation at one moment: a value to keep, and to resume from.
public struct ChappieClientContext: Sendable, Hashable, Codable {
  /// Names the client; it changes only when a context with another one is resumed.
  public var sessionID: String
  /// Names the conversation, for the backend's cache; a cleared client has a new one.
  public var threadID: String
  /// The slug of the model that answers. Who sets another one has chosen it.
  public var model: String {
    didSet { if model != oldValue { usesDefaultModel = false } }
  }
  /// Whether nobody has chosen ``model``: then whatever resumes from here asks the default model of that time.
  public var usesDefaultModel: Bool
  /// What was said, in order. What tools were called, and what the model thought, is not part of it.
  public var messages: [ChappieInputMessage]
  /// What was said before `messages`, in short; the model reads it first.
  public var compactedSummary: String?
  /// When this conversation began, was cleared or resumed: Unix seconds in UTC.
  public var createdAt: Int64
  /// When something last changed: Unix seconds in UTC.
  public var updatedAt: Int64

  public init(
    sessionID: String, threadID: String, model: String, messages: [ChappieInputMessage],
    compactedSummary: String? = nil, createdAt: Int64, updatedAt: Int64, usesDefaultModel: Bool = false
  ) {
    self.sessionID = sessionID
    self.threadID = threadID
    self.model = model
    self.messages = messages
    self.compactedSummary = compactedSummary
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.usesDefaultModel = usesDefaultModel
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let model = try values.decode(String.self, forKey: .model)
    self.init(
      sessionID: try values.decode(String.self, forKey: .sessionID),
      threadID: try values.decode(String.self, forKey: .threadID), model: model,
      messages: try values.decode([ChappieInputMessage].self, forKey: .messages),
      compactedSummary: try values.decodeIfPresent(String.self, forKey: .compactedSummary),
      createdAt: try values.decode(Int64.self, forKey: .createdAt),
      updatedAt: try values.decode(Int64.self, forKey: .updatedAt),
      // Kept before there was a choice to note: the default was this one.
      usesDefaultModel: try values.decodeIfPresent(Bool.self, forKey: .usesDefaultModel)
        ?? (model == ModelChoice.standardSlug))
  }

  public var messageCount: Int { messages.count }

  /// How many tokens the model reads of it, guessed from its length: four bytes a token. What the backend counts is
  /// in ``ChappieResponse/usage``.
  public var estimatedTokens: Int {
    let bytes = messages.reduce(compactedSummary?.utf8.count ?? 0) { $0 + $1.text.utf8.count }
    return (bytes + 3) / 4
  }
}

/// How much of a model's window a conversation fills, by the estimate of ``ChappieClientContext/estimatedTokens``.
public struct ChappieContextSize: Sendable, Hashable {
  public let estimatedTokens: Int
  /// The model's window in tokens.
  public let contextWindow: Int

  public init(estimatedTokens: Int, contextWindow: Int) {
    self.estimatedTokens = max(0, estimatedTokens)
    self.contextWindow = max(0, contextWindow)
  }

  /// What is left of the window, 0 when there is nothing.
  public var remainingTokens: Int { max(0, contextWindow - estimatedTokens) }

  /// From 0 on; more than 100 when the conversation is larger than the window.
  public var usedPercent: Double {
    contextWindow == 0 ? 100 : Double(estimatedTokens) * 100 / Double(contextWindow)
  }
}
