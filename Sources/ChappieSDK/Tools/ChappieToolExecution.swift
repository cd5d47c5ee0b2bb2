/// A tool call whose arguments fit. The tool's policy decides whether it runs.
public struct ChappieToolExecutionRequest: Sendable, Hashable {
  /// Identifies the call within its conversation.
  public let callID: String
  public let toolName: String
  /// The arguments: JSON text, as the model wrote it.
  public let arguments: String
  /// The policy that applies to this call.
  public let policy: ChappieToolPolicy

  public init(callID: String, toolName: String, arguments: String, policy: ChappieToolPolicy) {
    self.callID = callID
    self.toolName = toolName
    self.arguments = arguments
    self.policy = policy
  }
}

/// The end of a tool call. The model gets the output.
public struct ChappieToolExecutionResult: Sendable, Hashable {
  /// The outcome of a tool call.
  public enum Status: String, Sendable, Hashable, Codable, CaseIterable {
    /// The tool did its work.
    case completed
    /// The tool failed or took too long; the output gives the reason.
    case failed
    /// The policy or the user did not allow the call.
    case denied
    /// The turn was cancelled during the call.
    case cancelled
  }

  /// Identifies the call within its conversation.
  public let callID: String
  public let toolName: String
  public let status: Status
  /// The output that the model reads.
  public let output: String
  /// The time from the handler's start to its end; zero if the tool did not run.
  public let duration: Duration

  public init(callID: String, toolName: String, status: Status, output: String, duration: Duration = .zero) {
    self.callID = callID
    self.toolName = toolName
    self.status = status
    self.output = output
    self.duration = duration
  }
}
