// SPDX-License-Identifier: Apache-2.0

/// A tool that this program runs when the model calls it.
///
/// ```swift
/// let clock = ChappieHostTool(name: "current_time", description: "Tells the local time.") { call in
///   ChappieToolResult(output: "12:30")
/// }
/// ```
public struct ChappieHostTool: Sendable {
  /// Runs one call. The model gets an error that it throws as a failed result.
  public typealias Handler = @Sendable (ChappieToolCall) async throws -> ChappieToolResult

  /// The tool as the model sees it.
  public let manifest: ChappieHarnessTool
  /// The longest duration of a call. A call that takes longer is cancelled, and fails.
  public let timeLimit: Duration
  /// Runs the tool's calls.
  public let handler: Handler

  public var name: String { manifest.name }

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
