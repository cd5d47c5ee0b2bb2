// SPDX-License-Identifier: Apache-2.0
import ChappieMCP
import ChappieSDK
import GLibBridge

/// The methods that start turns and return their results.
extension ClientObject {
  var turnMethods: [String: Handler] {
    [
      "Send": { [unowned self] in try await reply($0, .text($0.argument(0)), options: 1, answering) },
      "Stream": { [unowned self] in try await stream($0, .text($0.argument(0)), options: 1, answering) },
      "Respond": { [unowned self] in try await reply($0, transcript($0), options: 1, answering) },
      "StreamResponse": { [unowned self] in try await stream($0, transcript($0), options: 1, answering) },
      "GetTurn": { [unowned self] in
        let turn = try turns.turn(of: $0)
        return try environment.memory.reply(
          of: turn.replyBytes, for: await application(of: $0), over: environment.connection
        ) {
          .tuple(turn.statusWord, turn.text, turn.details)
        }
      },
      "OpenTurn": { [unowned self] in try await open($0, options: 0, answering) },
      "Cancel": action { [turns] in try turns.turn(of: $0).cancel() },
    ]
  }

  private func transcript(_ call: BusCall) throws -> Prompt {
    try Limits.messages.check(call.arguments.children.first?.childCount ?? 0)
    return .transcript(try call.argument(0, as: [TranscriptEntry].self).map { try $0.message() })
  }

  private var answering: Answering {
    { [self] in try await client.run(try input($0, $1, $2), for: $3) }
  }

  /// - Throws: `BusError` with `InvalidArgument` for images or files of a message that is not the user's.
  private func input(_ prompt: Prompt, _ attachments: AttachmentReader, _ options: TurnOptions) throws -> TurnInput {
    let part =
      switch sharing {
      case .opened: TurnOptions.Part.next
      case .shared: options.part
      }
    var messages: [ChappieInputMessage]
    switch prompt {
    case .text(let text):
      let message = attachments.message(.user, text, options.message)
      if part == .next { return .next(message) }
      messages = [message]
    case .transcript(let transcript):
      messages = transcript
      if let last = messages.popLast() {
        guard last.role == .user || attachments.images.isEmpty && attachments.files.isEmpty else {
          throw BusError(.invalidArgument, "Images and files belong to a message of the user: end with one.")
        }
        messages.append(attachments.message(last.role, last.text, last.options))
      }
    }
    let request = ChappieResponseRequest(messages: messages, options: options.message)
    return switch part {
    case .none: .alone(request)
    case .next: .replay(request)
    case .first: .first(request)
    }
  }
}

/// The methods that read and change the conversation.
extension ClientObject {
  var contextMethods: [String: Handler] {
    [
      "GetContext": { [unowned self] in
        let application = await application(of: $0)
        let context = await client.context()
        return try environment.memory.reply(of: context.footprint, for: application, over: environment.connection) {
          .tuple(context.dictionary)
        }
      },
      "ClearContext": action { [unowned self] in
        try await changeContext($0) { _ in try await client.clearContext() }
      },
      "UndoTurn": action { [unowned self] in
        try await changeContext($0) { _ in try await client.undoTurn() }
      },
      "ResumeContext": action { [unowned self] in
        let context = try ChappieClientContext($0.argument(0), base: await client.context())
        try await changeContext($0, taking: 2 * context.footprint) { _ in try await client.resumeContext(context) }
        signals.compare()
      },
      "CompactContext": action { [unowned self] in try await compact($0) },
      "GetContextSize": { [client] in
        let window: UInt32 = try $0.argument(0)
        guard window > 0 else { throw BusError(.invalidArgument, "The context window must be at least 1 token.") }
        return .tuple(await client.contextSize(contextWindow: Int(window)).dictionary)
      },
    ]
  }

  private func compact(_ call: BusCall) async throws {
    let summary: String = try call.argument(0)
    try await changeContext(call, taking: MemoryBudget.callOverhead + 2 * summary.utf8.count) { lease in
      guard summary.isEmpty else {
        try Limits.promptBytes.check(summary.utf8.count)
        _ = try await client.compactContext(summary: summary)
        return
      }
      // The model writes the summary, so this counts as a turn.
      let turn = try await environment.callers.leaseTurn(call.sender)
      defer { withExtendedLifetime(turn) {} }
      _ = try await client.compactContext(interaction: call.interaction) {
        [environment] (bytes) throws(ChappieClientError) in
        try environment.memory.resize(lease, to: bytes)
      }
    }
  }

  /// Changes the conversation for a call, and counts its memory anew.
  ///
  /// - Parameter bytes: the memory that the change itself takes.
  private func changeContext(
    _ call: BusCall, taking bytes: Int = 0, _ change: (MemoryBudget.Lease) async throws -> Void
  ) async throws {
    let application = await application(of: call)
    let lease = try environment.memory.lease(bytes, for: application)
    try await change(lease)
    environment.memory.end(lease)
    countContext(for: application)
  }
}

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
          environment.callers.whenLeft(caller, self) { [weak self] in self?.registrations[caller] = nil }
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
