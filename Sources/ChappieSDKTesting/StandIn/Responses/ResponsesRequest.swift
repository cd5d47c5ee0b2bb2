import FoundationEssentials
import GLibBridge

/// What of a `responses` request decides on its answer.
struct ResponsesRequest: Decodable {
  /// Why the backend refuses a request, in its own words.
  struct Refusal: Error {
    let detail: String
  }

  let model: String
  private let messages: [Message]
  private let hasInstructions: Bool
  private let hasInputList: Bool
  private let storesNothing: Bool
  private let streams: Bool
  private let unsupportedParameter: String?

  /// Reads a request and makes the live server's checks, in its order.
  init(checking body: [UInt8], models: [String]) throws(Refusal) {
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(body))
    } catch {
      throw Refusal(detail: "The request body is not a JSON object")
    }
    guard hasInstructions else { throw Refusal(detail: "Instructions are required") }
    guard hasInputList else { throw Refusal(detail: "Input must be a list") }
    guard !messages.contains(where: { $0.role == "system" }) else {
      throw Refusal(detail: "System messages are not allowed")
    }
    guard storesNothing else { throw Refusal(detail: "Store must be set to false") }
    guard streams else { throw Refusal(detail: "Stream must be set to true") }
    if let unsupportedParameter { throw Refusal(detail: "Unsupported parameter: \(unsupportedParameter)") }
    guard models.contains(model) else {
      throw Refusal(detail: "The '\(model)' model is not supported when using Codex with a ChatGPT account.")
    }
  }

  /// What the user said last; empty when they said nothing.
  var lastUserText: String {
    messages.last { $0.role == "user" }?.text ?? ""
  }

  /// How many messages user and model have exchanged, the last one included.
  var conversationLength: Int {
    messages.count { $0.role == "user" || $0.role == "assistant" }
  }

  // MARK: Decoding

  private enum Key: String, CodingKey {
    case model, instructions, input, store, stream
    case temperature
    case maxOutputTokens = "max_output_tokens"
    case maxCompletionTokens = "max_completion_tokens"
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    model = (try? container.decode(String.self, forKey: .model)) ?? ""
    hasInstructions = (try? container.decode(String.self, forKey: .instructions))?.isEmpty == false
    let items = try? container.decode([Message?].self, forKey: .input)
    hasInputList = items != nil
    messages = (items ?? []).compactMap { $0 }
    storesNothing = (try? container.decode(Bool.self, forKey: .store)) == false
    streams = (try? container.decode(Bool.self, forKey: .stream)) == true
    let unsupported = [Key.temperature, .maxOutputTokens, .maxCompletionTokens]
    unsupportedParameter = unsupported.first(where: container.contains)?.rawValue
  }
}

extension ResponsesRequest {
  /// An item of the input. Items that are no messages have no role.
  private struct Message: Decodable {
    let role: String?
    let text: String

    private enum Key: CodingKey {
      case type, role, content
    }

    init(from decoder: any Decoder) throws {
      guard let container = try? decoder.container(keyedBy: Key.self) else {
        role = nil
        text = ""
        return
      }
      let type = try? container.decode(String.self, forKey: .type)
      role = type == nil || type == "message" ? try? container.decode(String.self, forKey: .role) : nil
      if let content = try? container.decode(String.self, forKey: .content) {
        text = content
      } else {
        let parts = (try? container.decode([Part].self, forKey: .content)) ?? []
        text = parts.compactMap(\.text).joined(separator: "\n")
      }
    }
  }

  /// A part of a message; only text has text.
  private struct Part: Decodable {
    let text: String?
  }
}
