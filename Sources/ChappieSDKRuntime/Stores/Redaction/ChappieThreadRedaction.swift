// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// The rules of redaction. A store applies them before it writes anything.
public struct ChappieThreadRedaction: Sendable {
  /// A kind of content in a thread. The raw values are the words of the service's configuration.
  public enum Field: String, Sendable, Hashable, CaseIterable {
    /// Titles, whether set by the user or made of the first message.
    case titles
    /// The messages of the user. A title is made of the redacted message.
    case inputs
    /// The images and the files in messages of the user.
    case images
    /// The answers of the model.
    case outputs
    /// The arguments of tool calls.
    case toolArguments = "tool-arguments"
    /// The outputs of tools.
    case toolOutputs = "tool-outputs"
    /// Other items as the backend sent them, and events of later versions.
    case payloads
    /// The messages of errors; their names stay.
    case errors
    /// The summaries of conversations.
    case summaries
  }

  /// The text that replaces masked content.
  public static let mask = "[redacted]"

  private let dropped: Set<Field>
  private let masked: Set<Field>
  private let patterns: [RegularExpression]

  /// - Parameters:
  ///   - drop: the content to empty. Payloads, images and files are removed.
  ///   - mask: the content to replace by ``mask-swift.type.property``. Images and files are removed.
  ///   - patterns: regular expressions in the syntax of JSON Schema. The mask replaces each match in any text. If the
  ///     arguments or the output of a tool are JSON, patterns are matched against each value without escapes, and then
  ///     against the JSON text. An image is removed if its `https:` address matches, and a file if
  ///     its name or its text does; images in `data:` addresses, PDFs and office documents are not matched.
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` for an invalid regular expression.
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

  /// Whether titles are stored, apart from matches of a pattern.
  var keepsTitles: Bool { !dropped.union(masked).contains(.titles) }

  /// The redacted title.
  public func title(_ title: String) -> String {
    text(title, .titles)
  }

  /// The redacted turn.
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
    case .citations(let citations): .citations(citations.compactMap(source))
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

  /// The redacted source: without its place, because the redacted text has others. Nil if nothing may tell of it.
  private func source(_ source: ChappieCitation) -> ChappieCitation? {
    guard !dropped.union(masked).contains(.outputs), replacingMatches(in: source.url.address) == source.url.address
    else { return nil }
    return ChappieCitation(url: source.url, title: text(source.title, .outputs))
  }

  /// The redacted message.
  func message(_ message: ChappieInputMessage) -> ChappieInputMessage {
    var options = message.options
    options.instructions = options.instructions.map { text($0, .inputs) }
    options.outputSchema = dropped.union(masked).contains(.inputs) ? nil : options.outputSchema.map(value)
    return ChappieInputMessage(
      role: message.role, text: text(message.text, .inputs), images: message.images.filter(isKept),
      files: message.files.filter(isKept), options: options)
  }

  /// Whether an image is stored. A `data:` address holds no words and may have megabytes, so patterns ignore it.
  private func isKept(_ image: ChappieImage) -> Bool {
    guard !dropped.union(masked).contains(.images) else { return false }
    return image.url.hasPrefix("data:") || replacingMatches(in: image.url) == image.url
  }

  private func isKept(_ file: ChappieInputFile) -> Bool {
    guard dropped.union(masked).isDisjoint(with: [.images, .inputs]) else { return false }
    return [file.name, file.text].compactMap(\.self).allSatisfy { patterns.isEmpty || replacingMatches(in: $0) == $0 }
  }

  private func payload(_ item: ChappieJSONValue) -> ChappieJSONValue? {
    if dropped.contains(.payloads) { return nil }
    // A search has words of the question, and addresses of the answer.
    let isSearch = item["type"]?.stringValue == "web_search_call"
    if isSearch, !dropped.union(masked).isDisjoint(with: [.inputs, .outputs]) { return nil }
    return masked.contains(.payloads) ? .string(Self.mask) : value(item)
  }

  private func text(_ text: String, _ field: Field) -> String {
    if dropped.contains(field) { return "" }
    return masked.contains(field) && !text.isEmpty ? Self.mask : replacingMatches(in: text)
  }

  /// As ``text(_:_:)``, for a text that may be JSON. Patterns are matched against each value first, because an escape
  /// could hide a match.
  private func json(_ text: String, _ field: Field) -> String {
    guard !patterns.isEmpty, !dropped.contains(field), !masked.contains(field),
      let json = try? ChappieJSONValue(json: text)
    else { return self.text(text, field) }
    return switch json {
    case .object, .array, .string: replacingMatches(in: value(json).json)
    // Any short text, such as a number, happens to be JSON.
    case .integer, .number, .bool, .null: replacingMatches(in: text)
    }
  }

  /// Redacts all texts of a JSON value, including the names of members. A number that matches becomes a text.
  private func value(_ value: ChappieJSONValue) -> ChappieJSONValue {
    guard !patterns.isEmpty else { return value }
    return switch value {
    case .string(let text): .string(replacingMatches(in: text))
    case .array(let elements): .array(elements.map(self.value))
    case .object(let members):
      .object(Dictionary(members.map { (replacingMatches(in: $0.key), self.value($0.value)) }) { first, _ in first })
    case .integer, .number: number(value)
    case .bool, .null: value
    }
  }

  private func number(_ number: ChappieJSONValue) -> ChappieJSONValue {
    let text = number.json
    let redacted = replacingMatches(in: text)
    return redacted == text ? number : .string(redacted)
  }

  private func replacingMatches(in text: String) -> String {
    do {
      return try patterns.reduce(text) { try $1.replacing(in: $0, with: Self.mask) }
    } catch {
      // Matching took too long, so the text is masked in case it matches.
      return Self.mask
    }
  }
}

/// A store that redacts threads and writes them to another store. It matches patterns on a separate thread, since a
/// message may have megabytes.
public struct ChappieRedactingThreadStore: ChappieThreadStore {
  private let store: any ChappieThreadStore
  private let redaction: ChappieThreadRedaction

  /// - Parameters:
  ///   - store: the store that keeps the redacted threads.
  ///   - redaction: the rules.
  public init(_ store: any ChappieThreadStore, redaction: ChappieThreadRedaction) {
    self.store = store
    self.redaction = redaction
  }

  /// The title of the redacted message, so that it holds no redacted text.
  public func title(for message: ChappieInputMessage) async -> String {
    guard redaction.keepsTitles else { return redaction.title(message.text) }
    return await store.title(for: redacted(message) { $0.message($1) })
  }

  public func create(_ thread: ChappieThreadSummary) async throws {
    var thread = thread
    thread.title = await redacted(thread.title) { $0.title($1) }
    try await store.create(thread)
  }

  public func append(_ turn: ChappieTurn, to thread: String) async throws {
    try await store.append(redacted(turn) { $0.turn($1) }, to: thread)
  }

  public func undoTurn(of thread: String, asking text: String?) async throws {
    var stored = text
    if let text { stored = await redacted(ChappieInputMessage.user(text)) { $0.message($1) }.text }
    try await store.undoTurn(of: thread, asking: stored)
  }

  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` for a title if titles are redacted completely, because it would
  ///   be lost; the errors of the other store.
  public func change(_ thread: String, _ change: ChappieThreadChange) async throws {
    switch change {
    case .rename(let title):
      let redacted = await redacted(title) { $0.title($1) }
      guard redaction.keepsTitles || redacted == title else {
        throw ChappieClientError.invalidArgument("The title cannot be stored: titles are redacted.")
      }
      try await store.change(thread, .rename(redacted))
    case .archive, .unarchive: try await store.change(thread, change)
    }
  }

  public func thread(_ id: String) async throws -> ChappieThread { try await store.thread(id) }

  public func summary(of thread: String) async throws -> ChappieThreadSummary? { try await store.summary(of: thread) }

  public func threads(_ query: ChappieThreadQuery) async throws -> [ChappieThreadSummary] {
    try await store.threads(query)
  }

  public func delete(_ thread: String) async throws { try await store.delete(thread) }

  public func usage() async throws -> ChappieThreadStoreUsage { try await store.usage() }

  private func redacted<Value: Sendable>(
    _ value: Value, _ redact: @escaping @Sendable (ChappieThreadRedaction, Value) -> Value
  ) async -> Value {
    await offActor { [redaction] in redact(redaction, value) }
  }
}
