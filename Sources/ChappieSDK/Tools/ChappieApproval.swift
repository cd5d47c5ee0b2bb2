/// A request for the user's approval of a tool call. The tool's policy is ``ChappieToolPolicy/ask``.
public struct ChappieApprovalRequest: Sendable, Hashable {
  /// Identifies the call within its conversation.
  public let callID: String
  public let toolName: String
  /// The arguments that the user is asked to approve: JSON text, as the model wrote it.
  public let arguments: String

  public init(callID: String, toolName: String, arguments: String) {
    self.callID = callID
    self.toolName = toolName
    self.arguments = arguments
  }
}

/// The user's decision.
public enum ChappieApprovalDecision: Sendable, Hashable {
  /// The tool runs this once.
  case approve
  /// The tool does not run. The model is told so, with the reason if there is one.
  case deny(reason: String?)

  /// The tool runs this once.
  public static func approved() -> ChappieApprovalDecision { .approve }

  /// The tool does not run. The model is told so, with the reason if there is one.
  public static func denied(reason: String? = nil) -> ChappieApprovalDecision { .deny(reason: reason) }
}

/// Asks the user about a tool call.
public typealias ChappieToolApprovalHandler = @Sendable (ChappieApprovalRequest) async -> ChappieApprovalDecision
