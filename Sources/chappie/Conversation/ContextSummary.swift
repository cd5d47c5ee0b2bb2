// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// Describes the length of a client's conversation, as a line or as JSON.
@GLibActor
struct ContextSummary {
  let service: ServiceConnection
  let client: ObjectPath

  /// One line for a person.
  func line() async throws -> String {
    let context = try await context()
    let count: UInt32 = try context.value("message_count") ?? 0
    let tokens: UInt32 = try context.value("estimated_tokens") ?? 0
    let model: String = try context.value("model") ?? ""
    let name = model.terminalSafeLine
    let shownTokens = LocalizedNumber.text(Int(tokens))
    let hasSummary = try context.value("compacted_summary", as: String.self) != nil
    return hasSummary
      ? tr(
        Int(count), one: "A summary and \(count) message, about \(shownTokens) tokens, for \(name)",
        other: "A summary and \(count) messages, about \(shownTokens) tokens, for \(name)")
      : tr(
        Int(count), one: "\(count) message, about \(shownTokens) tokens, for \(name)",
        other: "\(count) messages, about \(shownTokens) tokens, for \(name)")
  }

  /// One JSON object on a line.
  func json() async throws -> String {
    let context = try await context()
    var object = JSONObject()
    object.set("message_count", try context.value("message_count", as: UInt32.self))
    object.set("estimated_tokens", try context.value("estimated_tokens", as: UInt32.self))
    object.set("model", try context.value("model", as: String.self))
    object.set("compacted_summary", try context.value("compacted_summary", as: String.self))
    object.set("updated_at", try context.value("updated_at", as: Int64.self))
    return object.line
  }

  private func context() async throws -> VariantDictionary {
    try await service.call(client, "Client", "GetContext").member(0, "context")
  }
}
