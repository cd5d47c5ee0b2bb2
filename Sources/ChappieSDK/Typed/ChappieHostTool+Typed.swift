// SPDX-License-Identifier: Apache-2.0

extension ChappieHostTool {
  /// Creates a tool with typed arguments, whose schema is derived from their type.
  ///
  /// ```swift
  /// struct SearchNotes: Decodable {
  ///   let words: [String]
  ///   let limit: Int?
  /// }
  /// let search = ChappieHostTool("search_notes", "Searches the user's notes.") { (arguments: SearchNotes) in
  ///   notes.filter { $0.contains(arguments.words) }
  /// }
  /// ```
  ///
  /// If the type has no strict schema, the first turn with the tool throws
  /// ``ChappieClientError/invalidArgument(_:)``, which names the field; see ``ChappieSchema/of(_:)``.
  ///
  /// - Parameters:
  ///   - name: as in ``ChappieHarnessTool/name``.
  ///   - description: tells the model what the tool does, and when to use it.
  ///   - policy: whether the tool runs when the model calls it.
  ///   - timeLimit: the longest duration of a call. A call that takes longer is cancelled, and fails.
  ///   - handler: runs one call, as a ``Handler`` does. The model gets a text as it is, and any other value as JSON.
  public init<Arguments: Decodable & SendableMetatype, Output: Encodable & SendableMetatype>(
    _ name: String, _ description: String, policy: ChappieToolPolicy = .automatic,
    timeLimit: Duration = ChappieHostTool.defaultTimeLimit,
    handler: @escaping @Sendable (Arguments) async throws -> Output
  ) {
    self.init(name, description, policy: policy, timeLimit: timeLimit) { (arguments: Arguments) in
      let output = try await handler(arguments)
      return ChappieToolResult(output: try output as? String ?? ChappieJSONValue(encoding: output).json)
    }
  }

  /// Creates a tool with typed arguments, whose handler makes the result itself, such as a failed one.
  ///
  /// The parameters are those of the other typed initializer.
  public init<Arguments: Decodable & SendableMetatype>(
    _ name: String, _ description: String, policy: ChappieToolPolicy = .automatic,
    timeLimit: Duration = ChappieHostTool.defaultTimeLimit,
    handler: @escaping @Sendable (Arguments) async throws -> ChappieToolResult
  ) {
    let schema = Result { () throws(ChappieSchemaError) in try ChappieSchema.of(Arguments.self) }
    let manifest = ChappieHarnessTool(name: name, description: description, schema, policy: policy)
    self.init(manifest, timeLimit: timeLimit, decoding: handler)
  }

  /// Creates the handler of a tool whose arguments are a value of a type.
  package init<Arguments: Decodable & SendableMetatype>(
    _ manifest: ChappieHarnessTool, timeLimit: Duration = ChappieHostTool.defaultTimeLimit,
    decoding handler: @escaping @Sendable (Arguments) async throws -> ChappieToolResult
  ) {
    self.init(manifest, timeLimit: timeLimit) { call in
      let arguments: Arguments
      do {
        arguments = try ChappieJSONValue(json: call.arguments.isEmpty ? "{}" : call.arguments).decoded()
      } catch {
        return ChappieToolResult(failure: "The arguments do not fit: \(error.sentence(of: call.name)).")
      }
      return try await handler(arguments)
    }
  }
}
