// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// The harness, and the tools that callers bring.
extension ClientObject {
  var toolMethods: [String: BusImplementation.Method] {
    [
      "SetHarness": { [unowned self] in
        let dictionary: VariantDictionary = try $0.argument(0)
        let bytes = dictionary.variant.byteCount
        let harness = try await decoded(byteCount: bytes) { try ChappieHarness(dictionary) }
        try set(harness, of: bytes, for: await environment.callers.application(of: $0.sender))
        changed("Harness")
        return .tuple()
      },
      "RegisterTools": { [unowned self] in
        let tools: [VariantDictionary] = try $0.argument(0)
        let handler: ObjectPath = try $0.argument(1)
        let registration = try await decoded(byteCount: tools.variant.byteCount) {
          try ToolRegistration(tools, handler: handler)
        }
        try await register(registration, for: $0.sender)
        return .tuple()
      },
      "SubmitToolResult": { [unowned self] in
        try turns.turn(of: $0).calls.submit(try Self.result(of: $0), for: $0.argument(1))
        return .tuple()
      },
      "ResolveApproval": { [unowned self] in
        let decision = try ChappieApprovalDecision(approved: $0.argument(2), reason: $0.argument(3))
        await LockMonitor.shared.ready()
        try turns.turn(of: $0).calls.resolve(decision, for: $0.argument(1))
        return .tuple()
      },
    ]
  }

  /// The tools of `turn`: the caller's registered tools and the tools in `options`.
  func toolSet(for turn: ServiceTurn, _ options: TurnOptions) -> ToolSet {
    let registrations = [options.tools, registrations[turn.caller]?.tools].compactMap(\.self)
    return ToolSet(registrations.flatMap { $0.tools(for: turn, over: environment.connection) }) {
      [environment] request in
      await Self.decision(on: request, in: turn, environment)
    }
  }

  private static func decision(
    on request: ChappieApprovalRequest, in turn: ServiceTurn, _ environment: ServiceEnvironment
  ) async
    -> ChappieApprovalDecision
  {
    let app = try? await environment.callers.owner(turn.caller)?.text
    let question = ApprovalQuestion(tool: request.toolName, arguments: request.arguments, app: app)
    return await environment.approvals.decision(on: question, request.callID, of: turn)
  }

  private func register(_ tools: ToolRegistration, for caller: String) async throws {
    let application = await environment.callers.application(of: caller)
    let registered = RegisteredTools(
      tools: tools, lease: try environment.memory.lease(tools.footprint, for: application))
    // An empty registration is kept too, so that the caller is watched only once.
    if registrations.updateValue(registered, forKey: caller) == nil {
      environment.callers.whenLeft(caller) { [weak self] in self?.registrations[caller] = nil }
    }
  }

  private static func result(of call: BusCall) throws -> ChappieToolResult {
    let output: String = try call.argument(2)
    try Limits.check(promptBytes: output.utf8.count)
    let options: VariantDictionary = try call.argument(3)
    return try ChappieToolResult(status: options.value("status"), output: output)
  }
}

/// The registered tools of a caller, and their memory.
struct RegisteredTools {
  let tools: ToolRegistration
  let lease: MemoryBudget.Lease
}
