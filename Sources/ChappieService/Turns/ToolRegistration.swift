// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// The tools of a caller, and their handler.
struct ToolRegistration {
  private static let handlerInterface = "org.chappie.ToolHandler"

  let entries: [(manifest: ChappieHarnessTool, timeLimit: Duration)]
  /// An object of the caller with the interface `org.chappie.ToolHandler`. Nil for a program that answers
  /// `ToolCallRequested` with `SubmitToolResult`.
  let handler: ObjectPath?
  /// The estimated memory of the tools, in bytes.
  let footprint: Int

  /// - Parameter handler: `/` is none.
  /// - Throws: `VariantError`, `BusError` with `InvalidArgument` or `LimitExceeded`,
  ///   ``ChappieClientError/invalidArgument(_:)`` for a wrong name or schema of a tool.
  init(_ tools: [VariantDictionary], handler: ObjectPath) throws {
    try Limits.tools.check(tools.count)
    let bytes = tools.reduce(0) { $0 + $1.variant.byteCount }
    try Limits.toolBytes.check(bytes)
    footprint = bytes * MemoryBudget.jsonFactor
    entries = try tools.map { tool in
      let manifest = try ChappieHarnessTool(tool)
      let seconds: UInt32? = try tool.value("time_limit")
      guard seconds.map({ (1...3600).contains($0) }) ?? true else {
        throw BusError(.invalidArgument, "'time_limit' of '\(manifest.name)' must be 1 to 3600 seconds.")
      }
      _ = try manifest.argumentsSchema()
      return (manifest, seconds.map { .seconds(Int64($0)) } ?? ChappieHostTool.defaultTimeLimit)
    }
    self.handler = handler == .root ? nil : handler
    guard Set(entries.map(\.manifest.name)).count == entries.count else {
      throw BusError(.invalidArgument, "Two tools have the same name.")
    }
  }

  /// The tools for a turn to call.
  @GLibActor
  func tools(for turn: ServiceTurn, over connection: BusConnection) -> [ToolSet.Tool] {
    entries.map { entry in
      ToolSet.Tool(entry.manifest, timeLimit: entry.timeLimit) { [handler] call in
        if let handler {
          turn.calls.goOn(call.id)
          return try await Self.call(handler, call, of: turn, connection)
        }
        return try await turn.calls.result(of: call.id)
      }
    }
  }

  @GLibActor
  private static func call(
    _ path: ObjectPath, _ call: ChappieToolCall, of turn: ServiceTurn, _ connection: BusConnection
  ) async throws -> ChappieToolResult {
    do {
      let arguments = Variant.tuple(turn.id, call.id, call.name, call.arguments)
      try BusMessageTooLong.check(arguments)
      // The call itself has no timeout, because the turn enforces the time limit of the tool.
      let reply = try await connection.call(
        turn.caller, path, handlerInterface, "Call", arguments, timeout: nil, autoStart: false)
      return ChappieToolResult(output: try reply.member(0, "output", as: String.self))
    } catch let error as GLibError {
      return ChappieToolResult(failure: "The tool failed: \(error.message)")
    } catch let error as VariantError {
      return ChappieToolResult(failure: "The tool gave no text: \(error).")
    }
  }
}

extension ChappieToolResult {
  /// The result that a caller gives.
  ///
  /// - Parameter status: `completed`, `failed` or nil, which means `completed`.
  /// - Throws: `BusError` with `InvalidArgument` for another status, or `LimitExceeded`.
  init(status: String?, output: String) throws {
    try Limits.promptBytes.check(output.utf8.count)
    switch status {
    case nil, "completed": self.init(output: output)
    case "failed": self.init(failure: output)
    case let other?:
      throw BusError(.invalidArgument, "'status' must be completed or failed, not '\(Redaction.message(other))'.")
    }
  }
}

extension ChappieToolExecutionResult {
  /// The tool result on the bus.
  var dictionary: VariantDictionary {
    ["status": status.rawValue, "output": output, "duration_ms": duration.wholeMilliseconds]
  }
}
