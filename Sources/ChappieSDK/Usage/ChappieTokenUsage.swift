// SPDX-License-Identifier: Apache-2.0

/// The tokens used by an answer, as the backend counts them.
public struct ChappieTokenUsage: Sendable, Hashable {
  public let inputTokens: Int
  /// The part of the input from the backend's cache.
  public let cachedInputTokens: Int
  public let outputTokens: Int
  /// The part of the output used for reasoning.
  public let reasoningTokens: Int

  package init(inputTokens: Int = 0, cachedInputTokens: Int = 0, outputTokens: Int = 0, reasoningTokens: Int = 0) {
    self.inputTokens = inputTokens
    self.cachedInputTokens = cachedInputTokens
    self.outputTokens = outputTokens
    self.reasoningTokens = reasoningTokens
  }
}
