// SPDX-License-Identifier: Apache-2.0

/// A snapshot of a client's conversation: a value to store, and to resume from.
public struct ChappieClientContext: Sendable, Hashable, Codable {
  /// Identifies the client. It changes only when a context with another id is resumed.
  public var sessionID: String
  /// Identifies the conversation for the backend's cache. A cleared client gets a new one.
  public var threadID: String
  /// The slug of the model that answers. Setting it makes that model the chosen one.
  public var model: String {
    didSet { if model != oldValue { usesDefaultModel = false } }
  }
  /// Whether ``model`` is only the default: a client that resumes this context then uses the default model of that
  /// time.
  public var usesDefaultModel: Bool
  /// The messages, in order. Tool calls and the model's reasoning are not included.
  public var messages: [ChappieInputMessage]
  /// A summary of the messages before `messages`. The model reads it first.
  public var compactedSummary: String?
  /// The time at which this conversation began, was cleared or resumed.
  public var createdAt: ChappieTime {
    get { ChappieTime(unixSeconds: createdAtSeconds) }
    set { createdAtSeconds = newValue.unixSeconds }
  }
  /// The time of the last change.
  public var updatedAt: ChappieTime {
    get { ChappieTime(unixSeconds: updatedAtSeconds) }
    set { updatedAtSeconds = newValue.unixSeconds }
  }
  /// Unix seconds in UTC.
  package var createdAtSeconds: Int64
  /// Unix seconds in UTC.
  package var updatedAtSeconds: Int64

  private enum CodingKeys: String, CodingKey {
    case sessionID, threadID, model, usesDefaultModel, messages, compactedSummary
    case createdAtSeconds = "createdAt"
    case updatedAtSeconds = "updatedAt"
  }

  /// Creates a context, for example from parts that an app stored itself.
  ///
  /// - Parameters:
  ///   - sessionID: the id of the client.
  ///   - threadID: the id of the conversation for the backend's cache.
  ///   - model: the slug of the model.
  ///   - messages: the messages, in order.
  ///   - compactedSummary: a summary of the messages before `messages`; nil if there is none.
  ///   - createdAt: the beginning of the conversation.
  ///   - updatedAt: its last change.
  ///   - usesDefaultModel: whether `model` is only the default.
  public init(
    sessionID: String, threadID: String, model: String, messages: [ChappieInputMessage],
    compactedSummary: String? = nil, createdAt: ChappieTime, updatedAt: ChappieTime, usesDefaultModel: Bool = false
  ) {
    self.sessionID = sessionID
    self.threadID = threadID
    self.model = model
    self.messages = messages
    self.compactedSummary = compactedSummary
    createdAtSeconds = createdAt.unixSeconds
    updatedAtSeconds = updatedAt.unixSeconds
    self.usesDefaultModel = usesDefaultModel
  }

  /// Decodes a context. Contexts of earlier versions do not say whether their model was chosen; the built-in default
  /// counts as not chosen.
  ///
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    sessionID = try values.decode(String.self, forKey: .sessionID)
    threadID = try values.decode(String.self, forKey: .threadID)
    model = try values.decode(String.self, forKey: .model)
    messages = try values.decode([ChappieInputMessage].self, forKey: .messages)
    compactedSummary = try values.decodeIfPresent(String.self, forKey: .compactedSummary)
    createdAtSeconds = try values.decode(Int64.self, forKey: .createdAtSeconds)
    updatedAtSeconds = try values.decode(Int64.self, forKey: .updatedAtSeconds)
    // Old contexts do not store a choice: their default was this model.
    usesDefaultModel =
      try values.decodeIfPresent(Bool.self, forKey: .usesDefaultModel) ?? (model == ModelChoice.standardSlug)
  }

  /// The number of ``messages``.
  public var messageCount: Int { messages.count }

  /// The estimated size of the texts in tokens, at four bytes each, without images, tool calls and instructions.
  /// ``ChappieResponse/usage`` has the backend's count.
  public var estimatedTokens: Int {
    let bytes = messages.reduce(compactedSummary?.utf8.count ?? 0) { $0 + $1.text.utf8.count }
    return (bytes + 3) / 4
  }
}

/// The part of a model's window that a conversation fills, by ``ChappieClientContext/estimatedTokens``.
public struct ChappieContextSize: Sendable, Hashable {
  /// The estimated size of the conversation in tokens.
  public let estimatedTokens: Int
  /// The model's window in tokens.
  public let contextWindow: Int

  /// Creates a size. A negative number counts as 0.
  ///
  /// - Parameters:
  ///   - estimatedTokens: the estimated size of the conversation in tokens.
  ///   - contextWindow: the model's window in tokens.
  public init(estimatedTokens: Int, contextWindow: Int) {
    self.estimatedTokens = max(0, estimatedTokens)
    self.contextWindow = max(0, contextWindow)
  }

  /// The free part of the window in tokens, at least 0.
  public var remainingTokens: Int { max(0, contextWindow - estimatedTokens) }

  /// The filled part of the window in percent, at least 0. It is more than 100 if the conversation is larger than the
  /// window, and 100 if the window is 0.
  public var usedPercent: Double {
    contextWindow == 0 ? 100 : Double(estimatedTokens) * 100 / Double(contextWindow)
  }
}
