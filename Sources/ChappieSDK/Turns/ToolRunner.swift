// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Runs the tools that the model calls within one turn.
@GLibActor
final class ToolRunner {
  /// The longest output that the model gets, in bytes.
  static let outputLimit = 256 << 10
  /// The tools that the model is told of, in the order of the harness.
  let manifests: [ChappieHarnessTool]
  private let tools: [String: Tool]
  private let approve: ToolSet.Approval?
  private let approvalPatience: Duration
  private let scope: TurnScope
  private let checks = Semaphore(1)
  /// Whether the model has read what a tool of somebody else returned in this turn.
  private var hasReadForeignText = false

  /// A declared tool that has a handler.
  private struct Tool {
    let runner: ToolSet.Tool
    /// The tool as declared, which may differ from the handler's own manifest.
    let manifest: ChappieHarnessTool
    let schema: JSONSchema
  }

  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` for a tool that cannot be declared.
  init(_ set: ToolSet, declared: [ChappieHarnessTool], _ scope: TurnScope) async throws {
    let names = Set(declared.map(\.name))
    let manifests = declared + set.tools.map(\.manifest).filter { !names.contains($0.name) }
    self.manifests = manifests
    // Those of tools without a handler too, because they are declared too.
    let schemas =
      try await manifests.isEmpty
      ? [] : offActor { Result { try manifests.map { try $0.argumentsSchema() } } }.get()
    let runners = Dictionary(set.tools.map { ($0.manifest.name, $0) }) { first, _ in first }
    var tools: [String: Tool] = [:]
    for (manifest, schema) in zip(manifests, schemas) {
      guard tools[manifest.name] == nil, let runner = runners[manifest.name] else { continue }
      tools[manifest.name] = Tool(runner: runner, manifest: manifest, schema: schema)
    }
    self.tools = tools
    approve = set.approve
    approvalPatience = set.approvalPatience
    self.scope = scope
  }

  /// Runs all calls of one answer concurrently, and returns their outputs in order.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  func run(_ calls: [ToolCallItem]) async throws -> [ConversationItem] {
    let known = try calls.map { call in
      guard let tool = tools[call.name] else {
        throw ChappieClientError.missingToolHandler(call.shownName)
      }
      return (call, tool)
    }
    let tasks = known.map { call, tool in Task.onGLib { try await run(call, tool) } }
    // The first error cancels the other calls, whichever call has it.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in tasks { group.addTask { _ = try await task.valueOrCancelled() } }
      for try await _ in group {}
    }
    try Task.checkCancellation()
    var outputs: [ConversationItem] = []
    for task in tasks { outputs.append(try await task.value) }
    return outputs
  }

  private func run(_ call: ToolCallItem, _ tool: Tool) async throws -> ConversationItem {
    var flow = FlowControl.proceed
    let end = try await self.end(of: call, tool, &flow)
    let result = ChappieToolExecutionResult(
      callID: call.callID, toolName: call.name, status: end.status, output: Self.bounded(end.output),
      duration: end.duration)
    try scope.size.add(toolOutput: end.images.reduce(result.output.utf8.count) { $0 + $1.url.utf8.count })
    flow = flow.combined(with: scope.caller.deliver(.toolCallCompleted(result)))
    // Not earlier: a caller that runs the tool answers as soon as it sees the call.
    guard await flow.goesOn() else { throw CancellationError() }
    try Task.checkCancellation()
    return .toolOutput(callID: result.callID, output: result.output, images: end.images)
  }

  private struct End {
    let status: ChappieToolExecutionResult.Status
    let output: String
    var images: [ChappieImage] = []
    var duration = Duration.zero

    static let cancelled = End(status: .cancelled, output: "It was cancelled.")
  }

  /// - Parameter flow: collects the flow control of the delivered events.
  private func end(of call: ToolCallItem, _ tool: Tool, _ flow: inout FlowControl) async throws -> End {
    if let violation = await violation(of: tool.schema, in: call) {
      return End(status: .failed, output: "The arguments do not fit the tool's schema: \(violation).")
    }
    let policy = policy(of: tool)
    // Not earlier: the caller that sees the event may run the tool.
    flow = flow.combined(
      with: scope.caller.deliver(
        .toolCallRequested(
          ChappieToolExecutionRequest(
            callID: call.callID, toolName: call.name, arguments: call.arguments, policy: policy))))
    switch policy {
    case .automatic: break
    case .deny: return End(status: .denied, output: "This tool is switched off here.")
    case .ask:
      do {
        if case .deny(let reason) = try await decision(on: call, &flow) {
          return End(status: .denied, output: "The user did not allow this call" + (reason.map { ": \($0)" } ?? "."))
        }
      } catch is CancellationError {
        return .cancelled
      }
    }
    let start = ContinuousClock.now
    var end = try await execute(call, tool.runner)
    end.duration = .now - start
    return end
  }

  /// What a page, a file or a foreign tool says may be written for the model: a tool that it could have asked for needs a
  /// person.
  private func policy(of tool: Tool) -> ChappieToolPolicy {
    let hasRead = scope.search.hasRead || scope.filesForm != nil || hasReadForeignText
    guard hasRead, tool.manifest.policy == .automatic else { return tool.manifest.policy }
    if case .foreign(readsOnly: true) = tool.runner.text { return .automatic }
    return .ask
  }

  /// The first violation in a call's arguments; nil if they fit. Hostile arguments and schemas can take a second, so
  /// this runs outside the actor, for one call of the turn at a time.
  private func violation(of schema: JSONSchema, in call: ToolCallItem) async -> String? {
    let text = call.arguments.isEmpty ? "{}" : call.arguments
    return await checks.withPermit {
      await offActor {
        do throws(JSONProblem) {
          let json = try ChappieJSONValue(parsing: text.utf8.span, valueLimit: JSONSchema.argumentLimit)
          return schema.violation(in: json)
        } catch {
          return error == .malformed
            ? "they are no JSON, or an object in them has a name twice" : "they are too much to be checked"
        }
      }
    }
  }

  private func decision(on call: ToolCallItem, _ flow: inout FlowControl) async throws -> ChappieApprovalDecision {
    let request = ChappieApprovalRequest(callID: call.callID, toolName: call.name, arguments: call.arguments)
    guard let approve else {
      throw ChappieClientError.toolApprovalDenied(call.name, "it must be approved, and nobody can be asked here.")
    }
    flow = flow.combined(with: scope.caller.deliver(.approvalRequested(request)))
    do {
      return try await withDeadline(approvalPatience) { await approve(request) }
    } catch is GLibError {
      return .denied(reason: "nobody answered in time.")
    }
  }

  private func execute(_ call: ToolCallItem, _ tool: ToolSet.Tool) async throws -> End {
    let toolCall = ChappieToolCall(id: call.callID, name: call.name, arguments: call.arguments)
    do {
      let result = try await withDeadline(tool.timeLimit) { try await tool.run(toolCall) }
      if case .foreign = tool.text { hasReadForeignText = true }
      return End(status: result.isFailure ? .failed : .completed, output: result.output, images: result.images)
    } catch is CancellationError {
      return .cancelled
    } catch let end as TurnEndingError {
      throw end.error
    } catch let error as GLibError where error.isTimeout {
      return End(status: .failed, output: "The tool did not answer within \(tool.timeLimit).")
    } catch {
      return End(status: .failed, output: "The tool failed: \(error.sentence)")
    }
  }

  /// `output`, truncated if it is too long.
  private static func bounded(_ output: String) -> String {
    guard output.utf8.count > outputLimit else { return output }
    let kept = String(decoding: output.utf8.prefix(outputLimit), as: UTF8.self)
    return kept + "\n[cut here: the output had \(output.utf8.count) bytes]"
  }
}

/// An error of a tool's handler that ends the turn instead of being told the model.
package struct TurnEndingError: Error {
  /// The error with which the turn ends.
  let error: any Error

  package init(_ error: any Error) {
    self.error = error
  }
}

/// A tool call, as the model wrote it.
package struct ToolCallItem: Equatable {
  package let callID: String
  package let name: String
  /// JSON text.
  package let arguments: String
  /// The name in a form that an error may show.
  let shownName: String
  /// Whether the id is a plain name and not part of a token in use.
  let hasPlainID: Bool

  /// Nil for an item that is not a function call.
  package init?(_ item: ChappieJSONValue) {
    guard item["type"]?.stringValue == "function_call", let callID = item["call_id"]?.stringValue,
      let name = item["name"]?.stringValue
    else { return nil }
    self.callID = callID
    self.name = name
    arguments = item["arguments"]?.stringValue ?? ""
    shownName = Redaction.name(name) ?? "[…]"
    hasPlainID = Redaction.name(callID) != nil
  }
}
