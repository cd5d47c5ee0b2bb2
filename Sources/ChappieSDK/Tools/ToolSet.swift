// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The tools that the model may call in a turn, with their handlers and the approval of calls.
package struct ToolSet: Sendable {
  /// A tool with its handler.
  package struct Tool: Sendable {
    /// The origin of what a tool returns.
    package enum Text: Sendable {
      /// The program that brings the tool.
      case own
      /// Somebody else, who may have written it for the model.
      ///
      /// - Parameter readsOnly: whether the tool changes nothing, as the user believes.
      case foreign(readsOnly: Bool)
    }

    let manifest: ChappieHarnessTool
    let timeLimit: Duration
    let text: Text
    let run: @GLibActor @Sendable (ChappieToolCall) async throws -> ChappieToolResult

    /// - Parameters:
    ///   - timeLimit: the longest duration of a call. A call that takes longer is cancelled, and fails.
    ///   - run: runs a call. The model gets an error that it throws as a failed result.
    package init(
      _ manifest: ChappieHarnessTool, timeLimit: Duration = ChappieHostTool.defaultTimeLimit, text: Text = .own,
      run: @escaping @GLibActor @Sendable (ChappieToolCall) async throws -> ChappieToolResult
    ) {
      self.manifest = manifest
      self.timeLimit = timeLimit
      self.text = text
      self.run = run
    }
  }

  /// Asks for approval of a call.
  package typealias Approval = @GLibActor @Sendable (ChappieApprovalRequest) async -> ChappieApprovalDecision

  let tools: [Tool]
  let approve: Approval?
  /// The longest wait for an approval. After it, the call is denied.
  let approvalPatience: Duration

  package init(_ tools: [Tool] = [], approvalPatience: Duration = .seconds(300), approve: Approval? = nil) {
    self.tools = tools
    self.approvalPatience = approvalPatience
    self.approve = approve
  }

  /// An app's own tools. Their handlers run on Swift's threads.
  init(_ tools: [ChappieHostTool], approve: ChappieToolApprovalHandler?) {
    self.init(
      tools.map { tool in
        Tool(tool.manifest, timeLimit: tool.timeLimit) { call in
          try await Task.detached { try await tool.handler(call) }.valueOrCancelled()
        }
      },
      approve: approve.map { approve -> Approval in
        { request in
          let task = Task<ChappieApprovalDecision, any Error>.detached { await approve(request) }
          return (try? await task.valueOrCancelled()) ?? .denied()
        }
      })
  }
}

extension Task where Failure == any Error {
  /// The task's value. The task is cancelled with the task that waits for it.
  package func valueOrCancelled() async throws -> Success {
    try await withTaskCancellationHandler {
      try await value
    } onCancel: {
      cancel()
    }
  }
}
