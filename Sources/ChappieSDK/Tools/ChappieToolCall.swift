// SPDX-License-Identifier: Apache-2.0

/// One call of a tool by the model. Its arguments fit the tool's schema.
public struct ChappieToolCall: Sendable, Hashable, Identifiable {
  /// Identifies this call within its conversation.
  public let id: String
  /// The tool's name.
  public let name: String
  /// The arguments: JSON text, as the model wrote it.
  public let arguments: String

  /// The parsed arguments; nil if they are not valid JSON.
  public var argumentsJSON: ChappieJSONValue? {
    try? ChappieJSONValue(json: arguments)
  }

  /// Creates a call, such as one for a test of a handler.
  public init(id: String, name: String, arguments: String) {
    self.id = id
    self.name = name
    self.arguments = arguments
  }
}

/// The result of a tool call. The model reads its output.
public struct ChappieToolResult: Sendable, Hashable {
  /// Plain text, or JSON text.
  public let output: String
  /// Whether the tool failed. The output then gives the reason.
  public let isFailure: Bool
  /// Images that the model sees beside the output.
  public let images: [ChappieImage]

  /// Creates the result of a tool that did its work.
  public init(output: String, images: [ChappieImage] = []) {
    self.init(output: output, isFailure: false, images: images)
  }

  package init(output: String, isFailure: Bool, images: [ChappieImage]) {
    self.output = output
    self.isFailure = isFailure
    self.images = images
  }

  /// Creates a result from the JSON text of `output`.
  public init(output: ChappieJSONValue) {
    self.init(output: output.json)
  }

  /// Creates a failed result; `failure` tells the model the reason.
  public init(failure: String) {
    self.init(output: failure, isFailure: true, images: [])
  }
}

/// A request for the user's approval of a tool call. The tool's policy is ``ChappieToolPolicy/ask``.
public struct ChappieApprovalRequest: Sendable, Hashable, Codable {
  /// Identifies the call within its conversation.
  public let callID: String
  /// The tool's name.
  public let toolName: String
  /// The arguments that the user is asked to approve: JSON text, as the model wrote it.
  public let arguments: String

  /// Creates a request, such as one for a test of an approval handler.
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

/// A tool call whose arguments fit. The tool's policy decides whether it runs.
public struct ChappieToolExecutionRequest: Sendable, Hashable, Codable {
  /// Identifies the call within its conversation.
  public let callID: String
  /// The tool's name.
  public let toolName: String
  /// The arguments: JSON text, as the model wrote it.
  public let arguments: String
  /// The policy that applies to this call.
  public let policy: ChappieToolPolicy

  /// Creates a request, such as one for a test.
  public init(callID: String, toolName: String, arguments: String, policy: ChappieToolPolicy) {
    self.callID = callID
    self.toolName = toolName
    self.arguments = arguments
    self.policy = policy
  }
}

/// The end of a tool call. The model gets the output.
public struct ChappieToolExecutionResult: Sendable, Hashable, Codable {
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
  /// The tool's name.
  public let toolName: String
  /// The outcome.
  public let status: Status
  /// The output that the model reads.
  public let output: String
  /// The time from the handler's start to its end; zero if the tool did not run.
  public let duration: Duration

  /// Creates a result, such as one for a test.
  public init(callID: String, toolName: String, status: Status, output: String, duration: Duration = .zero) {
    self.callID = callID
    self.toolName = toolName
    self.status = status
    self.output = output
    self.duration = duration
  }
}
