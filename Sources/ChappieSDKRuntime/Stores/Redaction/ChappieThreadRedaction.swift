import ChappieSDK
import GLibBridge

/// What is left out of threads before anything is written.
public struct ChappieThreadRedaction: Sendable {
  /// What a thread holds, by kind. The raw values are the words of the service's configuration.
  public enum Field: String, Sendable, Hashable, CaseIterable {
    /// The titles that are given, and those that are made of the first message.
    case titles
    /// What the user wrote. The titles that are made of it are made of what is left.
    case inputs
    /// The images of what the user wrote.
    case images
    /// What the model answered.
    case outputs
    case toolArguments = "tool-arguments"
    case toolOutputs = "tool-outputs"
    /// Items as the backend sent them, and events of later versions.
    case payloads
    /// The messages of errors; their names stay.
    case errors
    /// What conversations were replaced by.
    case summaries
  }

  /// What stands where something was masked.
  public static let mask = "[redacted]"

  private let dropped: Set<Field>
  private let masked: Set<Field>
  private let patterns: [RegularExpression]

  /// - Parameters:
  ///   - drop: what is left empty. Payloads and images go as a whole.
  ///   - mask: what ``mask-swift.type.property`` stands for. Images go as a whole.
  ///   - patterns: regular expressions as JSON Schema has them; the mask stands for each match in any text. Arguments
  ///     and outputs of tools that are JSON are matched value by value, without escapes, then as the text that they are
  ///     written as. An image whose `https:` address matches goes as a whole; images as `data:` addresses are not
  ///     matched.
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` for a pattern that is no regular expression.
  public init(
    drop: Set<Field> = [], mask: Set<Field> = [], patterns: [String] = []
  ) throws(ChappieClientError) {
    dropped = drop
    masked = mask
    var expressions: [RegularExpression] = []
    for pattern in patterns {
      do {
        expressions.append(try RegularExpression(pattern))
      } catch {
        throw .invalidArgument("The pattern '\(pattern)' is no regular expression.")
      }
    }
    self.patterns = expressions
  }

  // MARK: Applying

  /// Whether anything is left of a title, but for what matches a pattern.
  var keepsTitles: Bool { !dropped.union(masked).contains(.titles) }

  /// The title as it is written.
  public func title(_ title: String) -> String {
    text(title, .titles)
  }

  /// The turn as it is written.
  public func turn(_ turn: ChappieTurn) -> ChappieTurn {
    var turn = turn
    turn.events = turn.events.compactMap(event)
    return turn
  }

  private func event(_ event: ChappieTurnEvent) -> ChappieTurnEvent? {
    switch event {
    case .input(let message): .input(self.message(message))
    case .output(let text, let model, let responseID):
      .output(text: self.text(text, .outputs), model: model, responseID: responseID)
    case .toolCall(let callID, let name, let arguments):
      .toolCall(callID: callID, name: name, arguments: json(arguments, .toolArguments))
    case .toolOutput(let callID, let name, let status, let output):
      .toolOutput(callID: callID, name: name, status: status, output: json(output, .toolOutputs))
    case .payload(let item): payload(item).map { .payload($0) }
    case .other(let json): payload(json).map { .other($0) }
    case .error(let name, let message): .error(name: name, message: text(message, .errors))
    case .compaction(let summary): .compaction(summary: text(summary, .summaries))
    }
  }

  func message(_ message: ChappieInputMessage) -> ChappieInputMessage {
    var options = message.options
    options.instructions = options.instructions.map { text($0, .inputs) }
    return ChappieInputMessage(
      role: message.role, text: text(message.text, .inputs), images: message.images.filter(isKept), options: options)
  }

  /// An image as a `data:` address says nothing in words, and may have megabytes.
  private func isKept(_ image: ChappieImage) -> Bool {
    guard !dropped.union(masked).contains(.images) else { return false }
    return image.url.hasPrefix("data:") || matchless(image.url) == image.url
  }

  private func payload(_ item: ChappieJSONValue) -> ChappieJSONValue? {
    if dropped.contains(.payloads) { return nil }
    return masked.contains(.payloads) ? .string(Self.mask) : value(item)
  }

  private func text(_ text: String, _ field: Field) -> String {
    if dropped.contains(field) { return "" }
    return masked.contains(field) && !text.isEmpty ? Self.mask : matchless(text)
  }

  /// As ``text(_:_:)``. JSON is matched value by value first, and written anew: an escape must hide nothing.
  private func json(_ text: String, _ field: Field) -> String {
    guard !patterns.isEmpty, !dropped.contains(field), !masked.contains(field),
      let json = try? ChappieJSONValue(json: text)
    else { return self.text(text, field) }
    return switch json {
    case .object, .array, .string: matchless(value(json).json)
    // As any text is that happens to be JSON.
    case .integer, .number, .bool, .null: matchless(text)
    }
  }

  /// Texts in JSON, the names of members too. A number that matches becomes a text.
  private func value(_ value: ChappieJSONValue) -> ChappieJSONValue {
    guard !patterns.isEmpty else { return value }
    return switch value {
    case .string(let text): .string(matchless(text))
    case .array(let elements): .array(elements.map(self.value))
    case .object(let members):
      .object(Dictionary(members.map { (matchless($0.key), self.value($0.value)) }) { first, _ in first })
    case .integer, .number: number(value)
    case .bool, .null: value
    }
  }

  private func number(_ number: ChappieJSONValue) -> ChappieJSONValue {
    let text = number.json
    let left = matchless(text)
    return left == text ? number : .string(left)
  }

  private func matchless(_ text: String) -> String {
    do {
      return try patterns.reduce(text) { try $1.replacing(in: $0, with: Self.mask) }
    } catch {
      // Nobody knows whether it matches: it took too long.
      return Self.mask
    }
  }
}
