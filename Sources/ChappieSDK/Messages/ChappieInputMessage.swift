// SPDX-License-Identifier: Apache-2.0

/// One message of a conversation.
public struct ChappieInputMessage: Sendable, Hashable {
  /// The author of a message.
  public enum Role: String, Sendable, Hashable, Codable, CaseIterable {
    /// The person.
    case user
    /// The model.
    case assistant
    /// Instructions of the app. The backend calls this role `developer`.
    case system
    /// The same as ``system``, under the backend's name.
    case developer
  }

  /// The author.
  public let role: Role
  /// The text.
  public let text: String
  /// The message's images. The model must accept images.
  public let images: [ChappieImage]
  /// The message's documents. All files of a conversation may have ``ChappieInputFile/totalLimit``.
  public let files: [ChappieInputFile]
  /// Options for the answer to this message.
  public let options: ChappieMessageOptions

  /// Creates a message.
  public init(
    role: Role, text: String, images: [ChappieImage] = [], files: [ChappieInputFile] = [],
    options: ChappieMessageOptions = ChappieMessageOptions()
  ) {
    self.role = role
    self.text = text
    self.images = images
    self.files = files
    self.options = options
  }

  /// Makes a message of the user.
  ///
  /// - Parameters:
  ///   - text: the text, which must not be empty.
  ///   - images: the message's images.
  ///   - files: the message's documents.
  ///   - fastMode: as ``ChappieMessageOptions/fastMode``.
  public static func user(
    _ text: String, images: [ChappieImage] = [], files: [ChappieInputFile] = [], fastMode: Bool = false
  ) -> ChappieInputMessage {
    .user(text, images: images, files: files, options: ChappieMessageOptions(fastMode: fastMode))
  }

  /// Makes a message of the user.
  ///
  /// - Parameters:
  ///   - text: the text, which must not be empty.
  ///   - images: the message's images.
  ///   - files: the message's documents.
  ///   - options: the options of its answer.
  public static func user(
    _ text: String, images: [ChappieImage] = [], files: [ChappieInputFile] = [], options: ChappieMessageOptions
  ) -> ChappieInputMessage {
    ChappieInputMessage(role: .user, text: text, images: images, files: files, options: options)
  }

  /// An answer of the model, for a transcript.
  public static func assistant(_ text: String) -> ChappieInputMessage {
    ChappieInputMessage(role: .assistant, text: text)
  }

  /// Instructions of the app.
  public static func system(_ text: String) -> ChappieInputMessage {
    ChappieInputMessage(role: .system, text: text)
  }
}

/// Options for the answer to one message. Nil stands for the client's or the model's default.
public struct ChappieMessageOptions: Sendable, Hashable {
  /// Whether to answer sooner with less reasoning: effort ``ChappieReasoningEffort/low``.
  public var fastMode: Bool
  /// The amount of reasoning. It counts before ``fastMode``.
  public var reasoningEffort: ChappieReasoningEffort?
  /// The slug of the model for this message alone.
  public var model: String?
  /// Instructions for this message alone, in addition to the harness's.
  public var instructions: String?
  /// A JSON Schema: the model answers with JSON of this form. The answer is not checked. The backend enforces a schema
  /// in which every object has a list of all its properties in `required`, and `additionalProperties` false.
  public var outputSchema: ChappieJSONValue?
  /// Whether the model may search the web for this answer. Nil stands for ``ChappieConfiguration/webSearch``.
  public var webSearch: ChappieWebSearch?

  /// Creates options. What is left out is the client's or the model's default.
  public init(
    fastMode: Bool = false, reasoningEffort: ChappieReasoningEffort? = nil, model: String? = nil,
    instructions: String? = nil, outputSchema: ChappieJSONValue? = nil, webSearch: ChappieWebSearch? = nil
  ) {
    self.fastMode = fastMode
    self.reasoningEffort = reasoningEffort
    self.model = model
    self.instructions = instructions
    self.outputSchema = outputSchema
    self.webSearch = webSearch
  }

  var effort: ChappieReasoningEffort? { reasoningEffort ?? (fastMode ? .low : nil) }
}

/// The amount of reasoning before an answer.
///
/// Models accept different efforts: ``ChappieModel/supportedReasoningLevels``. An effort that the model does not list
/// is replaced by the next higher one that it lists, or else by its highest.
public struct ChappieReasoningEffort: Sendable, Hashable, Codable, RawRepresentable {
  public let rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The least reasoning.
  public static let minimal = ChappieReasoningEffort(rawValue: "minimal")
  /// Little reasoning, for quick answers.
  public static let low = ChappieReasoningEffort(rawValue: "low")
  /// More reasoning than ``low``.
  public static let medium = ChappieReasoningEffort(rawValue: "medium")
  /// More reasoning than ``medium``; the answer takes longer.
  public static let high = ChappieReasoningEffort(rawValue: "high")
}

/// A transcript that the caller composed, such as a saved conversation or a part of one.
public struct ChappieResponseRequest: Sendable, Hashable {
  /// The messages, oldest first.
  public var messages: [ChappieInputMessage]
  /// Options for the answer.
  public var options: ChappieMessageOptions

  /// Creates a request.
  public init(messages: [ChappieInputMessage], options: ChappieMessageOptions = ChappieMessageOptions()) {
    self.messages = messages
    self.options = options
  }
}

/// Messages in JSON: the keys are the names of the properties; all but `role` and `text` are optional.
extension ChappieInputMessage: JSONRecord, Codable {
  package static var subject: String { "the message" }

  package init(_ fields: JSONFields) throws(ChappieClientError) {
    let word = try fields.require("role", fields.string("role"))
    guard let role = Role(rawValue: word) else { throw fields.wrong("role", "user, assistant, system or developer") }
    self.init(
      role: role, text: try fields.require("text", fields.string("text")),
      images: try fields.list("images") { (image) throws(ChappieClientError) in
        try ChappieImage(stored: image.require("url", image.string("url")))
      } ?? [],
      files: try fields.list("files") { (file) throws(ChappieClientError) in try ChappieInputFile(file) } ?? [],
      options: try ChappieMessageOptions(jsonValue: fields["options"] ?? [:]))
  }

  package var jsonValue: ChappieJSONValue {
    var members: [String: ChappieJSONValue] = [
      "role": .string(role.rawValue), "text": .string(text),
      "images": .array(images.map { ["url": .string($0.url)] }), "options": options.jsonValue,
    ]
    if !files.isEmpty {
      members["files"] = .array(files.map(\.jsonValue))
    }
    return .object(members)
  }
}

extension ChappieMessageOptions: JSONRecord, Codable {
  package static var subject: String { "the message's options" }

  package init(_ fields: JSONFields) throws(ChappieClientError) {
    self.init(
      fastMode: try fields.bool("fastMode") ?? false,
      reasoningEffort: try fields.string("reasoningEffort").map { ChappieReasoningEffort(rawValue: $0) },
      model: try fields.string("model"), instructions: try fields.string("instructions"),
      outputSchema: fields["outputSchema"], webSearch: fields["webSearch"].map { (try? $0.decoded()) ?? .off })
  }

  package var jsonValue: ChappieJSONValue {
    var members: [String: ChappieJSONValue] = ["fastMode": .bool(fastMode)]
    members["reasoningEffort"] = reasoningEffort.map { .string($0.rawValue) }
    members["model"] = model.map { .string($0) }
    members["instructions"] = instructions.map { .string($0) }
    members["outputSchema"] = outputSchema
    members["webSearch"] = webSearch.flatMap { try? ChappieJSONValue(encoding: $0) }
    return .object(members)
  }
}
