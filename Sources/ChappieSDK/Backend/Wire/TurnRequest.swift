// SPDX-License-Identifier: Apache-2.0

/// The content of one request of a turn, independent of the model.
struct TurnRequest: Sendable {
  let choice: ModelChoice
  var input: [ConversationItem]
  let instructions: String
  /// The tools that the model may call, in the backend's format.
  private(set) var tools: [ChappieJSONValue] = []
  /// The tool with which the backend searches the web, in its format; nil for an answer without.
  let webSearch: ChappieJSONValue?
  let effort: ChappieReasoningEffort?
  /// The schema of an answer that is JSON; nil for any answer.
  let outputSchema: ChappieJSONValue?
  /// Groups requests with a common beginning for the backend's cache.
  let threadID: String

  /// The backend refuses a request without instructions, and some harnesses have none.
  private static let fallbackInstructions = "Answer the user."

  private static let searchCapability = "Searching the web for this answer."

  /// - Parameters:
  ///   - choice: the model that answers, unless `options` names one.
  ///   - webSearch: the tool for searching the web, which the harness names as a capability.
  init(
    _ choice: ModelChoice, harness: ChappieHarness, input: [ConversationItem], options: ChappieMessageOptions,
    threadID: String, webSearch: ChappieJSONValue? = nil
  ) {
    self.webSearch = webSearch
    var harness = harness
    if webSearch != nil { harness.capabilities.append(Self.searchCapability) }
    let parts = [harness.rendered, options.instructions ?? ""].filter { !$0.isEmpty }
    self.choice = ModelChoice(options.model) ?? choice
    self.input = input
    instructions = parts.isEmpty ? Self.fallbackInstructions : parts.joined(separator: "\n\n")
    effort = options.effort
    outputSchema = options.outputSchema
    self.threadID = threadID
  }

  var hasFiles: Bool { input.contains { !$0.files.isEmpty } }

  /// The approximate memory of the request, in bytes.
  var footprint: Int {
    input.reduce(
      1024 + instructions.utf8.count + ChappieJSONValue.array(tools).footprint + (outputSchema?.footprint ?? 0)
    ) { $0 + $1.footprint }
  }

  /// Declares the tools that the model may call.
  mutating func declare(_ tools: [ChappieHarnessTool]) {
    self.tools = tools.map { tool in
      [
        "type": "function", "name": .string(tool.name), "description": .string(tool.description),
        "strict": .bool(tool.isStrict), "parameters": tool.inputSchema,
      ]
    }
  }
}

/// A model as a request names it, with the form that its requests take.
struct RequestModel: Sendable, Equatable {
  /// The two forms of a request for an answer.
  enum Form: Sendable {
    /// Tools and instructions have fields of their own.
    case plain
    /// Tools and instructions are the first items of the input.
    case lite
  }

  let slug: String
  var form = Form.plain
  /// The names of effort that the backend lists, lowest first; nil if the backend was not asked.
  var efforts: [String]?
  /// The effort that the backend expects in place of `ultra`; nil if it names none.
  var ultra: String?
  /// Whether the backend lets the model search the web; nil if it has not told.
  var searchesWeb: Bool?
  /// Whether the model reads images; nil if the backend has not told.
  var readsImages: Bool?

  /// Whether a request to `other` has the same model and form as one to this model.
  func isAsked(like other: RequestModel) -> Bool {
    slug == other.slug && form == other.form
  }

  // MARK: Effort

  /// All known names of effort, lowest first.
  private static let scale = ["none", "minimal", "low", "medium", "high", "xhigh", "max"]
  /// A name for people: a model that lists it expects another one in the request.
  private static let ultra = "ultra"

  /// The effort that the request names for `wanted`; nil if it must name none.
  ///
  /// An effort that the model does not list becomes the next higher one that it lists, or else its highest. An unknown
  /// effort is sent unchanged, and the backend decides.
  func effort(_ wanted: ChappieReasoningEffort?) -> String? {
    guard let word = wanted?.rawValue else { return nil }
    guard let efforts else { return word == Self.ultra ? "xhigh" : word }
    let listed = efforts.filter { $0 != Self.ultra }
    let ranked = listed.compactMap { Self.scale.firstIndex(of: $0) }
    if word == Self.ultra { return ultra ?? ranked.max().map { Self.scale[$0] } ?? listed.last }
    guard !listed.contains(word), let rank = Self.scale.firstIndex(of: word), rank > 0 else { return word }
    guard let best = ranked.filter({ $0 > rank }).min() ?? ranked.max() else { return nil }
    return Self.scale[best]
  }
}
