// SPDX-License-Identifier: Apache-2.0

/// A tool as the model sees it. A ``ChappieHostTool`` of the same name runs it.
public struct ChappieHarnessTool: Sendable, Hashable {
  /// The name by which the model calls the tool: 1 to 64 of A to Z, a to z, 0 to 9, `_` and `-`.
  public var name: String
  /// Tells the model what the tool does, and when to use it.
  public var description: String
  /// The JSON Schema of the arguments, which are an object.
  public var inputSchema: ChappieJSONValue {
    didSet { if case .missing = origin { origin = .written } }
  }
  /// Whether the tool runs when the model calls it.
  public var policy: ChappieToolPolicy
  private var origin: SchemaOrigin

  /// The source of the input schema. It makes no other tool, so all are equal.
  private enum SchemaOrigin: Hashable {
    /// The program wrote it. The backend gets it as a schema that is not strict.
    case written
    /// It was derived from a type, or is to be strict.
    case typed
    /// The type has none. The tool cannot be declared.
    case missing(ChappieSchemaError)

    static func == (left: SchemaOrigin, right: SchemaOrigin) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
  }

  /// Creates the declaration of a tool. A turn with a name or a schema that cannot be used fails with
  /// ``ChappieClientError/invalidArgument(_:)``.
  public init(
    name: String,
    description: String,
    inputSchema: ChappieJSONValue = ChappieHarnessTool.noArguments,
    policy: ChappieToolPolicy = .automatic
  ) {
    self.name = name
    self.description = description
    self.inputSchema = inputSchema
    self.policy = policy
    origin = .written
  }

  /// Creates a tool whose schema the backend enforces if it is strict.
  public init(
    name: String, description: String, schema: ChappieSchema, policy: ChappieToolPolicy = .automatic
  ) {
    self.init(name: name, description: description, .success(schema), policy: policy)
  }

  /// - Parameter schema: a tool with an error in its place fails the first turn.
  init(
    name: String, description: String, _ schema: Result<ChappieSchema, ChappieSchemaError>, policy: ChappieToolPolicy
  ) {
    self.name = name
    self.description = description
    self.policy = policy
    switch schema {
    case .success(let schema):
      inputSchema = schema.json
      origin = .typed
    case .failure(let error):
      inputSchema = Self.noArguments
      origin = .missing(error)
    }
  }

  /// Whether the backend is asked to enforce the schema.
  var isStrict: Bool { isToBeStrict && ChappieSchema(inputSchema).isStrict }

  /// Whether the backend is to enforce the schema if that is a strict one.
  var isToBeStrict: Bool {
    get { if case .typed = origin { true } else { false } }
    set { origin = newValue ? .typed : .written }
  }

  /// The schema of a tool that takes no arguments.
  public static let noArguments: ChappieJSONValue = [
    "type": "object", "properties": [:], "additionalProperties": false,
  ]

  /// Checks this tool's name and schema, and returns the schema that its arguments must fit.
  ///
  /// - Throws: ``ChappieClientError/invalidArgument(_:)``, which names the tool and the problem.
  package func argumentsSchema() throws(ChappieClientError) -> JSONSchema {
    guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy({ $0.isAlphanumeric || "_-".utf8.contains($0) })
    else {
      let shown = Redaction.message(String(name.prefix(64)))
      throw .invalidArgument("A tool's name must have 1 to 64 letters, digits, '_' or '-' of ASCII, not '\(shown)'.")
    }
    if case .missing(let error) = origin {
      throw .invalidArgument("The arguments of the tool '\(name)' have no schema: \(error).")
    }
    guard inputSchema["type"] == "object" else {
      throw .invalidArgument("The input schema of the tool '\(name)' must be a JSON Schema with type 'object'.")
    }
    do {
      return try JSONSchema(inputSchema)
    } catch {
      throw .invalidArgument("The input schema of the tool '\(name)' cannot be used: \(error).")
    }
  }
}

/// Whether a tool runs when the model calls it.
public enum ChappieToolPolicy: String, Sendable, Hashable, Codable, CaseIterable {
  /// The tool runs at once.
  case automatic
  /// The tool runs after the user has approved the call.
  case ask
  /// The tool does not run, and the model is told so.
  case deny
}

/// A tool that this program runs when the model calls it.
///
/// ```swift
/// let clock = ChappieHostTool(name: "current_time", description: "Tells the local time.") { call in
///   ChappieToolResult(output: "12:30")
/// }
/// ```
public struct ChappieHostTool: Sendable {
  /// Runs one call. The model gets an error that it throws as a failed result: the `errorDescription` of a
  /// `LocalizedError`, else the error's description.
  public typealias Handler = @Sendable (ChappieToolCall) async throws -> ChappieToolResult

  /// The tool as the model sees it.
  public let manifest: ChappieHarnessTool
  /// The longest duration of a call. A call that takes longer is cancelled, and fails.
  public let timeLimit: Duration
  /// Runs the tool's calls.
  public let handler: Handler

  /// The name by which the model calls the tool.
  public var name: String { manifest.name }

  /// Creates a tool with its declaration.
  public init(
    name: String,
    description: String,
    inputSchema: ChappieJSONValue = ChappieHarnessTool.noArguments,
    policy: ChappieToolPolicy = .automatic,
    timeLimit: Duration = ChappieHostTool.defaultTimeLimit,
    handler: @escaping Handler
  ) {
    self.init(
      ChappieHarnessTool(name: name, description: description, inputSchema: inputSchema, policy: policy),
      timeLimit: timeLimit, handler: handler)
  }

  /// Creates the handler of a tool that a harness declares.
  public init(
    _ manifest: ChappieHarnessTool,
    timeLimit: Duration = ChappieHostTool.defaultTimeLimit,
    handler: @escaping Handler
  ) {
    self.manifest = manifest
    self.timeLimit = timeLimit
    self.handler = handler
  }

  /// One minute.
  public static let defaultTimeLimit = Duration.seconds(60)
}
