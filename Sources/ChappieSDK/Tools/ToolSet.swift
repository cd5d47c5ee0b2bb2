import GLibBridge

/// The tools that the model may call in a turn, who runs them, and who is asked.
package struct ToolSet: Sendable {
  /// A tool with what runs it.
  package struct Tool: Sendable {
    let manifest: ChappieHarnessTool
    let timeLimit: Duration
    let run: @GLibActor @Sendable (ChappieToolCall) async throws -> ChappieToolResult

    /// - Parameters:
    ///   - timeLimit: a call that takes longer is cancelled, and fails.
    ///   - run: runs a call. What it throws reaches the model as a failed result.
    package init(
      _ manifest: ChappieHarnessTool, timeLimit: Duration = ChappieHostTool.defaultTimeLimit,
      run: @escaping @GLibActor @Sendable (ChappieToolCall) async throws -> ChappieToolResult
    ) {
      self.manifest = manifest
      self.timeLimit = timeLimit
      self.run = run
    }
  }

  /// Asks about a call.
  package typealias Approval = @GLibActor @Sendable (ChappieApprovalRequest) async -> ChappieApprovalDecision

  let tools: [Tool]
  let approve: Approval?
  /// How long a person may take to approve; then the call is denied.
  let approvalPatience: Duration

  package init(_ tools: [Tool] = [], approvalPatience: Duration = .seconds(300), approve: Approval? = nil) {
    self.tools = tools
    self.approvalPatience = approvalPatience
    self.approve = approve
  }

  /// An app's own tools. Their handlers run on Swift's threads, whatever they do there.
  init(_ tools: [ChappieHostTool], approve: ChappieToolApprovalHandler?) {
    self.init(
      tools.map { tool in
        Tool(tool.manifest, timeLimit: tool.timeLimit) { call in
          try await Self.detached { try await tool.handler(call) }
        }
      },
      approve: approve.map(Self.detached))
  }

  private static func detached(_ approve: @escaping ChappieToolApprovalHandler) -> Approval {
    { request in
      let decision = try? await detached { await approve(request) }
      return decision ?? .denied()
    }
  }

  private static func detached<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws
    -> Result
  {
    let task = Task.detached { try await body() }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}
