// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// The program that runs one tool server for the service: a stranger's messages are read in its memory, and not in the
/// service's.
///
/// It speaks JSON-RPC with the service over its standard input and output: the requests `list` and `call`, the request
/// `ask` of its own, and the notification `changed`.
@GLibActor
package enum ToolServerProgram {
  /// Runs a server of the user's file; see ``run(_:log:isLegacy:)``.
  package static func run(_ name: String) async -> Int32 {
    await run(
      { try await configuration(of: name) }, log: ToolLogWriter(ToolLog.path(name)),
      isLegacy: ToolApproval.load(name).isLegacy)
  }

  /// Runs until the service closes the standard input, or the server ends.
  ///
  /// - Parameters:
  ///   - configuration: reads the description of the server, with its variables replaced.
  ///   - isLegacy: whether the server is known to speak a revision with a handshake.
  /// - Returns: the exit status.
  package static func run(
    _ configuration: @escaping @GLibActor () async throws -> ChappieMCPConfiguration, log: ToolLogWriter?,
    isLegacy: Bool
  ) async -> Int32 {
    CurrentProcess.adoptOrphans()
    CurrentProcess.leaveSessionKeyring()
    guard let input = Descriptor(owning: 0), let output = Descriptor(owning: 1),
      let from = try? StreamSocket(input), let to = try? StreamSocket(output)
    else { return 1 }
    // The service itself bounds the calls of its callers.
    let connection = MCPConnection(to: to, from: from, requestLimit: .max)
    let end = Wait()
    connection.onEnd = { end.finish() }
    let start = Task.onGLib {
      let server = try await ChappieMCPServer.start(try await configuration(), isLegacy: isLegacy)
      watch(server, connection, log, end)
      return server
    }
    // A request waits for the start, and fails with the reason if there is none.
    connection.onRequest = { method, params in
      switch method {
      case "list": return try await start.value.listing().json
      case "call": return try await call(try await start.value, params, connection, log)
      default: return nil
      }
    }
    connection.start()
    await end.value()
    start.cancel()
    await (try? start.value)?.end()
    await log?.finish()
    await offActor { CurrentProcess.killChildren() }
    return 0
  }

  private static func configuration(of name: String) async throws -> ChappieMCPConfiguration {
    do {
      guard let entry = try ToolsFile.read()[name] else {
        throw ChappieMCPError.notStarted("the file of servers does not name it")
      }
      return try await Variables.resolve(entry.configuration) {
        try await ToolSecrets(interaction: .forbidden).secret($0)
      }
    } catch let error as ToolsFileError {
      throw ChappieMCPError(error)
    }
  }

  private static func watch(_ server: ChappieMCPServer, _ connection: MCPConnection, _ log: ToolLogWriter?, _ end: Wait)
  {
    server.onErrorLine = { log?.note(errors: $0) }
    server.onChange = { connection.notify("changed") }
    server.onEnd { end.finish() }
    server.onQuestion { question in
      let answer = try? await connection.request("ask", question.params, deadline: MCPQuestion.patience)
      return answer.map(MCPAnswer.init) ?? .cancel
    }
  }

  private static func call(
    _ server: ChappieMCPServer, _ params: ChappieJSONValue, _ connection: MCPConnection, _ log: ToolLogWriter?
  ) async throws -> ChappieJSONValue {
    let tool = params["tool"]?.stringValue ?? ""
    let start = ContinuousClock.now
    let token = params["_meta"]?["progressToken"] ?? .null
    do {
      let output = try await server.call(tool, params["arguments"] ?? [:], expected: params["expected"]) {
        connection.notify(
          "notifications/progress",
          [
            "progressToken": token, "progress": .number($1 ?? 0), "total": $1 == nil ? .null : 1,
            "message": .string($0),
          ])
      }
      log?.note(tool, output.isFailure ? "failed" : "completed", .now - start, bytes: output.text.utf8.count)
      return output.json
    } catch {
      log?.note(tool, error is CancellationError ? "cancelled" : "failed", .now - start, bytes: 0)
      throw error
    }
  }
}

/// A tool server that a program of its own runs.
@GLibActor
package final class ToolServer {
  /// The longest start and listing: the helper has the deadlines of its server, which are shorter.
  private static let listTime = Duration.seconds(120)
  /// The longest wait for the end of the program, which itself waits for its server and then ends it by force.
  private static let endTime = Duration.seconds(8)

  private let process: PeerProcess
  private let connection: MCPConnection
  private var known: MCPListing?
  /// How often the list has changed.
  private var changes = 0
  /// The calls that run, in order. A question belongs to the last.
  private var calls: [(id: Int, ask: @GLibActor (MCPQuestion) async -> MCPAnswer)] = []
  private var lastCall = 0

  /// Starts the program.
  ///
  /// - Parameter command: the program of ``ToolServerProgram``, with its arguments.
  /// - Throws: ``GLibError``.
  package init(_ command: [String]) throws {
    process = try PeerProcess(command, endsItself: true)
    connection = MCPConnection(to: process.input, from: process.output)
    connection.onNotification = { [weak self] method, _ in
      guard let self, method == "changed" else { return }
      known = nil
      changes += 1
    }
    connection.onRequest = { [weak self] method, params in
      guard method == "ask", let call = self?.calls.last, let question = MCPQuestion(params) else {
        return nil
      }
      return await call.ask(question).json
    }
    connection.start()
  }

  /// Called once, when the server has ended by itself.
  package func onEnd(_ action: @escaping @GLibActor () -> Void) { connection.onEnd = action }

  /// Whether calls run, or the tools are being listed.
  package var isBusy: Bool { connection.isWaiting }

  /// The server's tools. The first call waits for the start of the server.
  ///
  /// - Throws: ``ChappieMCPError``, `CancellationError`.
  package func listing() async throws -> MCPListing {
    if let known { return known }
    let before = changes
    let listing = try MCPListing(try await request("list", [:], within: Self.listTime))
    if changes == before { known = listing }
    return listing
  }

  /// Calls a tool that was approved.
  ///
  /// - Parameters:
  ///   - limit: the longest duration.
  ///   - progress: receives a sentence of the server, and the part that is done, from 0 to 1.
  ///   - ask: asks the user.
  /// - Throws: ``ChappieMCPError``, `CancellationError`.
  package func call(
    _ tool: MCPTool, _ arguments: ChappieJSONValue, within limit: Duration,
    progress: @escaping @GLibActor (String, Double?) -> Void,
    ask: @escaping @GLibActor (MCPQuestion) async -> MCPAnswer
  ) async throws -> MCPOutput {
    lastCall += 1
    let id = lastCall
    calls.append((id, ask))
    defer { calls.removeAll { $0.id == id } }
    let params: [String: ChappieJSONValue] = [
      "tool": .string(tool.name), "arguments": arguments, "expected": tool.pinned,
    ]
    return MCPOutput(
      message: try await request("call", params, within: limit) { step in
        progress(step.message, step.total == nil ? nil : step.done)
      })
  }

  private func request(
    _ method: String, _ params: [String: ChappieJSONValue], within limit: Duration,
    progress: (@GLibActor (MCPConnection.Progress) -> Void)? = nil
  ) async throws -> ChappieJSONValue {
    do {
      return try await connection.request(method, params, deadline: limit, cap: limit, progress: progress)
    } catch ChappieMCPError.refused(let code, let message) {
      throw ChappieMCPError(relayed: code, message)
    }
  }

  /// Ends the server and its program.
  package func end() async {
    connection.onEnd = {}
    await process.end(patience: Self.endTime)
    connection.end(.ended("it was stopped"))
  }
}
