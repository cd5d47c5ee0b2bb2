// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import ServiceConfiguration

/// The options of a turn.
struct TurnOptions {
  /// What a turn on a shared object is to the object's conversation.
  enum Part {
    /// It stands alone.
    case none
    case next
    /// It stands alone, and the conversation begins anew with it.
    case first
  }

  let message: ChappieMessageOptions
  /// The name of the turn that the caller has chosen.
  let name: String?
  let attachments: Attachments
  /// The files that came with the call as descriptors.
  let handles: [DescriptorHandle]
  /// The estimated memory of the output schema, in bytes.
  private let schemaFootprint: Int
  let broadcast: Bool
  /// Whether nobody has asked for this turn at the moment.
  let background: Bool
  let part: Part
  /// Tools for this turn only. A program that receives the turn's signals runs them.
  let tools: ToolRegistration?
  /// The names of the user's tool servers whose tools the model may call.
  let toolServers: [String]

  /// The estimated memory of the options, in bytes.
  var footprint: Int {
    (message.instructions?.utf8.count ?? 0) + (tools?.footprint ?? 0) + schemaFootprint + attachments.byteCount
  }

  /// - Throws: `VariantError`, `BusError` with `InvalidArgument` or `LimitExceeded`.
  init(_ options: VariantDictionary, _ models: ModelAliases = ModelAliases()) throws {
    message = ChappieMessageOptions(
      fastMode: try options.value("fast_mode") ?? false,
      reasoningEffort: try options.name("reasoning_effort").map(ChappieReasoningEffort.init),
      model: try options.name("model").map(models.slug),
      instructions: try options.value("instructions"),
      outputSchema: try options.value("output_schema", as: String.self).map(Self.outputSchema),
      webSearch: try ChappieWebSearch(options))
    schemaFootprint =
      try MemoryBudget.jsonFactor * (options.value("output_schema", as: String.self)?.utf8.count ?? 0)
    name = try options.value("turn", as: String.self).map(Self.checkedName)
    let hasHandles = options["files"]?.isOfType([DescriptorHandle].variantType) == true
    handles = hasHandles ? try options.value("files") ?? [] : []
    try Limits.files.check(handles.count)
    attachments = try Attachments(
      images: options.value("images") ?? [], files: hasHandles ? [] : options.value("files") ?? [])
    broadcast = try options.value("broadcast") ?? false
    background = try options.value("background") ?? false
    part = try Self.part(continues: options.value("continue") ?? false, begins: options.value("begin") ?? false)
    let servers = try? options.value("tools", as: [String].self)
    toolServers = servers ?? []
    try Limits.toolServers.check(toolServers.count)
    tools =
      try servers == nil
      ? options.value("tools", as: [VariantDictionary].self).map { try ToolRegistration($0, handler: .root) } : nil
  }

  private static func part(continues: Bool, begins: Bool) throws -> Part {
    guard !continues || !begins else {
      throw BusError(.invalidArgument, "'continue' and 'begin' exclude each other.")
    }
    return continues ? .next : begins ? .first : .none
  }

  private static func outputSchema(_ text: String) throws -> ChappieJSONValue {
    let schema = try ChappieJSONValue(schema: text, "'output_schema'")
    guard schema.objectValue != nil else { throw BusError(.invalidArgument, "'output_schema' is no JSON object.") }
    return schema
  }

  private static func checkedName(_ name: String) throws -> String {
    guard name.isPlainName, name.utf8.count <= 64 else {
      throw BusError(.invalidArgument, "'turn' must have 1 to 64 characters of A-Z, a-z, 0-9, - and _.")
    }
    return name
  }
}

/// The images and files of a question, as the caller names them.
struct Attachments: Sendable {
  /// The methods with the option `files`, which may bring file descriptors.
  static let methods: Set = [
    "org.chappie.Client.Send", "org.chappie.Client.Stream", "org.chappie.Client.Respond",
    "org.chappie.Client.StreamResponse", "org.chappie.Client.OpenTurn",
    "org.chappie.Threads.Send", "org.chappie.Threads.Stream", "org.chappie.Threads.OpenTurn",
  ]

  /// Addresses and paths.
  let images: [String]
  /// Addresses that hold the content, and paths.
  let files: [String]

  /// - Throws: `BusError` with `LimitExceeded`.
  init(images: [String], files: [String]) throws {
    (self.images, self.files) = (images, files)
    try Limits.images.check(images.count)
    try Limits.files.check(files.count)
  }

  var byteCount: Int { (images + files).reduce(0) { $0 + $1.utf8.count } }

  static func + (left: Attachments, right: Attachments) throws -> Attachments {
    try Attachments(images: left.images + right.images, files: left.files + right.files)
  }
}

/// The question of a turn: the next message of the conversation, or the caller's own transcript.
enum Prompt: Sendable {
  case text(String)
  case transcript([ChappieInputMessage])

  /// The bytes of all texts.
  var byteCount: Int {
    switch self {
    case .text(let text): text.utf8.count
    case .transcript(let messages): messages.reduce(0) { $0 + $1.text.utf8.count }
    }
  }

  /// - Parameter options: the options of the turn, whose instructions count as text.
  /// - Throws: `BusError` with `InvalidArgument` for no text, or `LimitExceeded` for too much.
  func check(_ options: TurnOptions) throws {
    guard byteCount > 0 else { throw BusError(ChappieClientError.noText) }
    try Limits.promptBytes.check(byteCount + (options.message.instructions?.utf8.count ?? 0))
  }
}
