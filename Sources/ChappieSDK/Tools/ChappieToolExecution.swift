/// The model has chosen a tool, and it is about to run as its policy says.
public struct ChappieToolExecutionRequest: Sendable, Hashable {
  /// Names the call within its conversation.
  public let callID: String
  public let toolName: String
  /// JSON text, as the model wrote it.
  public let arguments: String
  /// The policy that is applied to this call.
  public let policy: ChappieToolPolicy

  public init(callID: String, toolName: String, arguments: String, policy: ChappieToolPolicy) {
    self.callID = callID
    self.toolName = toolName
    self.arguments = arguments
    self.policy = policy
  }
}

/// A call of a tool has ended. The model is given the output.
public struct ChappieToolExecutionResult: Sendable, Hashable {
  /// How a call of a tool ended.
  public enum Status: String, Sendable, Hashable, Codable, CaseIterable {
    /// The tool did what was asked.
    case completed
    /// The tool could not do it, or took too long; the output says why.
    case failed
    /// The policy or the user did not let it run.
    case denied
    /// The turn was cancelled while it ran.
    case cancelled
  }

  /// Names the call within its conversation.
  public let callID: String
  public let toolName: String
  public let status: Status
  /// What the model reads.
  public let output: String
  /// From the handler's start to its end; zero when it did not run.
  public let duration: Duration

  public init(callID: String, toolName: String, status: Status, output: String, duration: Duration = .zero) {
    self.callID = callID
    self.toolName = toolName
    self.status = status
    self.output = output
    self.duration = duration
  }
}
