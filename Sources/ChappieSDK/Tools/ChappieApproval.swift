/// A tool whose policy is ``ChappieToolPolicy/ask`` waits for the user.
public struct ChappieApprovalRequest: Sendable, Hashable {
  /// Names the call within its conversation.
  public let callID: String
  public let toolName: String
  /// JSON text, as the model wrote it: what the user is asked to approve.
  public let arguments: String

  public init(callID: String, toolName: String, arguments: String) {
    self.callID = callID
    self.toolName = toolName
    self.arguments = arguments
  }
}

/// The user's answer.
public enum ChappieApprovalDecision: Sendable, Hashable {
  /// The tool runs, this once.
  case approve
  /// The tool does not run. The model is told so, with the reason where there is one.
  case deny(reason: String?)

  /// The tool runs, this once.
  public static func approved() -> ChappieApprovalDecision { .approve }

  /// The tool does not run. The model is told so, with the reason where there is one.
  public static func denied(reason: String? = nil) -> ChappieApprovalDecision { .deny(reason: reason) }
}

/// Asks the user about a call.
public typealias ChappieToolApprovalHandler = @Sendable (ChappieApprovalRequest) async -> ChappieApprovalDecision
