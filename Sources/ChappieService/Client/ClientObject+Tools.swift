// SPDX-License-Identifier: Apache-2.0
import ChappieMCP
import ChappieSDK
import GLibBridge

/// The harness, and the tools that callers bring.
extension ClientObject {
  var toolMethods: [String: Handler] {
    [
      "SetHarness": action { [unowned self] in
        let dictionary: VariantDictionary = try $0.argument(0)
        let bytes = dictionary.variant.byteCount
        let harness = try await decoded(byteCount: bytes) { try ChappieHarness(dictionary) }
        try set(harness, of: bytes, for: await application(of: $0))
        signals.changed(["Harness"])
      },
      "RegisterTools": action { [unowned self] in
        let tools: [VariantDictionary] = try $0.argument(0)
        let handler: ObjectPath = try $0.argument(1)
        let registration = try await decoded(byteCount: tools.variant.byteCount) {
          try ToolRegistration(tools, handler: handler)
        }
        let lease = try environment.memory.lease(registration.footprint, for: await application(of: $0))
        let caller = $0.sender
        // An empty registration is kept too, so that the caller is watched only once.
        if registrations.updateValue((registration, lease), forKey: caller) == nil {
          environment.callers.whenLeft(caller) { [weak self] in self?.registrations[caller] = nil }
        }
      },
      "SubmitToolResult": action { [turns] in
        let calls = try turns.turn(of: $0).calls
        let options: VariantDictionary = try $0.argument(3)
        try calls.submit(
          ChappieToolResult(status: options.value("status"), output: $0.argument(2)), for: $0.argument(1))
      },
      "ListToolServers": { [environment] in
        try environment.toolServers.authorize(try await environment.callers.owner($0.sender))
        return .tuple(try await environment.toolServers.list())
      },
      "SubmitInput": action { [turns] in
        let content: VariantDictionary = try $0.argument(3)
        await LockMonitor.shared.ready()
        try turns.turn(of: $0).calls.submit(MCPAnswer(action: $0.argument(2), content.json), for: $0.argument(1))
      },
      "ResolveApproval": action { [turns] in
        let decision = try ChappieApprovalDecision(approved: $0.argument(2), reason: $0.argument(3))
        await LockMonitor.shared.ready()
        try turns.turn(of: $0).calls.resolve(decision, for: $0.argument(1))
      },
    ]
  }

  /// The tools of `turn`: the caller's registered tools and the tools in `options`.
  func toolSet(for turn: ServiceTurn, _ options: TurnOptions) -> ToolSet {
    let registrations = [options.tools, registrations[turn.caller]?.tools].compactMap(\.self)
    return ToolSet(registrations.flatMap { $0.tools(for: turn, over: environment.connection) }) {
      [environment] request in
      let app = try? await environment.callers.owner(turn.caller)?.text
      let question = ApprovalQuestion(tool: request.toolName, arguments: request.arguments, app: app)
      return await environment.approvals.decision(on: question, request.callID, of: turn)
    }
  }
}
