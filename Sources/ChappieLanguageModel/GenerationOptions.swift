// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

/// Options of one request.
///
/// The backends of a ChatGPT plan accept neither a temperature nor a limit of the answer. A request with one of them
/// fails with ``LanguageModelError/unsupportedCapability(_:)`` before it is sent.
public struct GenerationOptions: Sendable, Hashable {
  /// How much the answers vary. Not supported: leave it nil.
  public var temperature: Double?
  /// The most tokens of an answer. Not supported: leave it nil.
  public var maximumResponseTokens: Int?
  /// The amount of reasoning before the answer; nil for the model's default. Apple's type does not have it.
  public var reasoningEffort: ChappieReasoningEffort?

  /// Creates options. Nil stands for the model's default.
  public init(
    temperature: Double? = nil, maximumResponseTokens: Int? = nil, reasoningEffort: ChappieReasoningEffort? = nil
  ) {
    self.temperature = temperature
    self.maximumResponseTokens = maximumResponseTokens
    self.reasoningEffort = reasoningEffort
  }

  /// These options for the client.
  ///
  /// - Throws: ``ChappieClientError/unsupportedCapability(_:)``.
  func message(schema: ChappieJSONValue?) throws(ChappieClientError) -> ChappieMessageOptions {
    if temperature != nil { throw .unsupportedCapability("temperature") }
    if maximumResponseTokens != nil { throw .unsupportedCapability("maximumResponseTokens") }
    return ChappieMessageOptions(reasoningEffort: reasoningEffort, outputSchema: schema)
  }
}
