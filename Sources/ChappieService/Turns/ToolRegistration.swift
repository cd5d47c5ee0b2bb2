// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// The tools of a caller, and their handler.
struct ToolRegistration {
  enum Handler {
    /// An object of the caller with the interface `org.chappie.ToolHandler`.
    case object(ObjectPath)
    /// A program that answers `ToolCallRequested` with `SubmitToolResult`.
    case signals
  }

  /// A tool, decoded from its description on the bus.
  struct Entry {
    let manifest: ChappieHarnessTool
    let timeLimit: Duration
  }

  static let handlerInterface = "org.chappie.ToolHandler"

  let entries: [Entry]
  let handler: Handler
  /// The estimated memory of the tools, in bytes.
  let footprint: Int

  /// - Parameter handler: the path of the handler object; `/` for signals.
  /// - Throws: `VariantError`, `BusError` with `InvalidArgument` or `LimitExceeded`,
  ///   ``ChappieClientError/invalidArgument(_:)`` for a wrong name or schema of a tool.
  init(_ tools: [VariantDictionary], handler: ObjectPath) throws {
    try self.init(tools, handler: handler == .root ? .signals : .object(handler))
  }

  init(_ tools: [VariantDictionary], handler: Handler) throws {
    guard tools.count <= Limits.tools else {
      throw BusError(.limitExceeded, "There are \(tools.count) tools, and \(Limits.tools) are allowed: bring fewer.")
    }
    let bytes = tools.reduce(0) { $0 + $1.variant.byteCount }
    try Limits.check(toolBytes: bytes)
    footprint = bytes * MemoryBudget.jsonFactor
    entries = try tools.map(Entry.init)
    self.handler = handler
    let names = entries.map(\.manifest.name)
    guard Set(names).count == names.count else {
      throw BusError(.invalidArgument, "Two tools have the same name.")
    }
  }

  /// The tools for a turn to call.
  @GLibActor
  func tools(for turn: ServiceTurn, over connection: BusConnection) -> [ToolSet.Tool] {
    entries.map { entry in
      ToolSet.Tool(entry.manifest, timeLimit: entry.timeLimit) { [handler] call in
        switch handler {
        case .signals: try await turn.calls.result(of: call.id)
        case .object(let path): try await Self.call(path, call, of: turn, connection)
        }
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

extension ToolRegistration.Entry {
  /// Decodes a tool and checks it.
  ///
  /// - Throws: `VariantError`, `BusError`, ``ChappieClientError/invalidArgument(_:)``.
  fileprivate init(_ dictionary: VariantDictionary) throws {
    manifest = try ChappieHarnessTool(dictionary)
    let seconds: UInt32? = try dictionary.value("time_limit")
    guard seconds.map({ (1...3600).contains($0) }) ?? true else {
      throw BusError(.invalidArgument, "'time_limit' of '\(manifest.name)' must be 1 to 3600 seconds.")
    }
    timeLimit = seconds.map { .seconds(Int64($0)) } ?? ChappieHostTool.defaultTimeLimit
    _ = try manifest.argumentsSchema()
  }
}

extension ChappieToolResult {
  /// The result that a caller gives; nil means `completed`.
  ///
  /// - Throws: `BusError` with `InvalidArgument` for any other status than `completed` and `failed`.
  init(status: String?, output: String) throws {
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
