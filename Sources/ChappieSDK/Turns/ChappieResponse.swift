/// A whole answer.
public struct ChappieResponse: Sendable, Hashable {
  public let outputText: String
  /// The backend's id of the answer.
  public let responseID: String
  /// The slug of the model that was asked.
  public let model: String
  public let usage: ChappieTokenUsage
  /// Whether the text is the model's refusal to answer.
  public let isRefusal: Bool

  package init(
    outputText: String, responseID: String, model: String, usage: ChappieTokenUsage, isRefusal: Bool = false
  ) {
    self.outputText = outputText
    self.responseID = responseID
    self.model = model
    self.usage = usage
    self.isRefusal = isRefusal
  }
}

/// What happens while an answer comes.
public enum ChappieStreamEvent: Sendable, Hashable {
  /// The next piece of the answer, never empty: append it.
  case textDelta(String)
  /// The model has called a tool with arguments that fit, and it is about to run as its policy says.
  case toolCallRequested(ChappieToolExecutionRequest)
  /// A tool call waits for the user's approval, which the client's approval handler is asked for.
  case approvalRequested(ChappieApprovalRequest)
  /// A tool call has ended, or had arguments that do not fit. The model gets its output by itself.
  case toolCallCompleted(ChappieToolExecutionResult)
  /// What is used of the plan has been told: before the answer as a rule.
  case usageLimits(ChappieUsageLimitSnapshot)
  /// The end of the answer.
  case completed(ChappieResponse)
}
