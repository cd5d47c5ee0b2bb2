// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// The conversation of a client.
struct Conversation {
  private let values: VariantDictionary

  @GLibActor
  init(_ service: ServiceConnection, _ client: ObjectPath) async throws {
    values = try await service.call(client, "Client", "GetContext").member(0, "context")
  }

  /// Its length, in one line for a person.
  func length() throws -> String {
    let count: UInt32 = try values.value("message_count") ?? 0
    let tokens = LocalizedNumber.text(Int(try values.value("estimated_tokens", as: UInt32.self) ?? 0))
    let model = (try values.value("model") ?? "").terminalSafeLine
    return try values.value("compacted_summary", as: String.self) != nil
      ? tr(
        Int(count), one: "A summary and \(count) message, about \(tokens) tokens, for \(model)",
        other: "A summary and \(count) messages, about \(tokens) tokens, for \(model)")
      : tr(
        Int(count), one: "\(count) message, about \(tokens) tokens, for \(model)",
        other: "\(count) messages, about \(tokens) tokens, for \(model)")
  }

  /// The summary and the messages, each with its role.
  func messages() throws -> String {
    var texts: [(role: String, text: String)] = []
    if let summary: String = try values.value("compacted_summary") { texts.append(("summary", summary)) }
    for message in values["messages"]?.children ?? [] {
      texts.append((try message.member(0, "role"), try message.member(1, "text")))
    }
    return texts.map { "\($0.role.terminalSafeLine): \($0.text)\n" }.joined()
  }

  var json: JSONObject {
    JSONObject(["message_count", "estimated_tokens", "model", "compacted_summary", "updated_at"], of: values)
  }
}
