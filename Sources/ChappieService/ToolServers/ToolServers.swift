// SPDX-License-Identifier: Apache-2.0
import ChappieMCP
import ChappieSDK
import GLibBridge
import Platform

/// The user's tool servers: each runs in a program of its own, from the first turn that names it until nobody has used
/// it for five minutes.
@GLibActor
final class ToolServers {
  private static let idleTime = Duration.seconds(300)
  private static let runningLimit = 16

  /// A server that runs, or starts.
  private struct Running {
    let configuration: ChappieMCPConfiguration
    let server: ToolServer
    var idle: Timer?
    var lastUse = ContinuousClock.now
  }

  private let isAllowed: Bool
  private var running: [String: Running] = [:]

  /// - Parameter isAllowed: whether the user's configuration allows them.
  init(isAllowed: Bool) {
    self.isAllowed = isAllowed
  }

  /// Checks that a program may use the user's servers.
  ///
  /// - Parameter app: the app in a sandbox; nil for other programs.
  /// - Throws: `BusError` with `AccessDenied`.
  func authorize(_ app: AppID?) throws {
    guard app == nil else {
      throw BusError(
        .accessDenied, en("An app in a sandbox brings its own tools: the user's tool servers are not for it."))
    }
    guard isAllowed else {
      throw BusError(
        .accessDenied, en("Tool servers are off: the configuration of chappied has [Tools] Enabled=false."))
    }
  }

  /// The servers of the user's file that a turn may name.
  ///
  /// - Throws: `BusError` with `InvalidArgument` for a file that cannot be used.
  func list() async throws -> [VariantDictionary] {
    try await read().filter { $0.isEnabled && $0.policy != .deny }.map {
      ["name": $0.configuration.name, "is_running": running[$0.configuration.name] != nil]
    }
  }

  /// The tools of servers for one turn. The first turn that names a server waits for its start.
  ///
  /// - Throws: `BusError`.
  func tools(of names: [String], for turn: ServiceTurn) async throws -> [ToolSet.Tool] {
    guard !names.isEmpty else { return [] }
    let entries = try await entries(names)
    // All at once, since a program in Python takes a second.
    for entry in entries { _ = try start(entry) }
    var offered: [(entry: ToolServerEntry, tool: MCPTool, policy: ChappieToolPolicy)] = []
    for entry in entries {
      let (listing, approval) = try await approved(entry)
      for tool in listing.tools {
        let policy = approval.policy(of: tool, entry)
        if policy != .deny { offered.append((entry, tool, policy)) }
      }
    }
    guard offered.count <= ChappieMCPServer.toolLimit else {
      throw BusError(
        .limitExceeded,
        "The tool servers have \(offered.count) tools, and a turn may have \(ChappieMCPServer.toolLimit): name fewer "
          + "servers, or deny tools that are not needed with chappie tools policy.")
    }
    let names = ToolNames(offered.map { ($0.entry.configuration.name, $0.tool.name) })
    return zip(names.all, offered).map { name, offer in
      ToolSet.Tool(
        ChappieHarnessTool(
          name: name, description: offer.tool.description, inputSchema: offer.tool.inputSchema, policy: offer.policy),
        timeLimit: offer.entry.configuration.callTimeout * 10 + MCPQuestion.patience,
        text: .foreign(readsOnly: offer.tool.annotations.isReadOnly == true)
      ) { [weak turn] call in
        guard let turn else { throw CancellationError() }
        return try await self.call(offer.tool, of: offer.entry, call, for: turn)
      }
    }
  }

  private func read() async throws -> [ToolServerEntry] {
    let file = await offActor(deadline: .seconds(30)) { Result { () throws(ToolsFileError) in try ToolsFile.read() } }
    do {
      return try file?.get().servers ?? []
    } catch {
      throw BusError(.invalidArgument, "\(error)")
    }
  }

  private func entries(_ names: [String]) async throws -> [ToolServerEntry] {
    let servers = try await read()
    var known: Set<String> = []
    return try names.filter { known.insert($0).inserted }.map { name in
      guard let entry = servers.first(where: { $0.configuration.name == name }) else {
        throw BusError(
          .invalidArgument, en("There is no tool server '\(Redaction.message(name))': chappie tools list shows them."))
      }
      guard entry.isEnabled else {
        throw BusError(
          .invalidArgument,
          en("The tool server '\(name)' is switched off: chappie tools enable \(name) switches it on."))
      }
      guard entry.policy != .deny else {
        throw BusError(
          .invalidArgument, en("The tool server '\(name)' is denied: chappie tools policy \(name) ask allows it again.")
        )
      }
      return entry
    }
  }

  /// The tools of a server, as the user has approved them.
  ///
  /// - Throws: `BusError` with `MissingToolHandler` if the server does not work, or with `ToolApprovalDenied` if its
  ///   tools differ from those that were approved.
  private func approved(_ entry: ToolServerEntry) async throws -> (MCPListing, ToolApproval) {
    let name = entry.configuration.name
    let listing: MCPListing
    do {
      listing = try await start(entry).listing()
    } catch let error as ChappieMCPError {
      // The reason may hold words of the server, so it is not logged.
      Log.notice("The tool server \(name: name) does not work: chappie tools list tells why.")
      // The next turn may find it mended.
      stop(name)
      await offActor {
        var approval = ToolApproval.load(name)
        approval.noteFailure(error.description(of: name))
        try? approval.save()
      }
      throw BusError(.missingToolHandler, error.description(of: name))
    }
    let (approval, isSame) = await offActor {
      let program = entry.configuration.program
      var approval = ToolApproval.load(name)
      let before = approval
      approval.noteStart(listing, program: program)
      if approval != before { try? approval.save() }
      return (approval, approval.changes(against: listing, program: program).isEmpty)
    }
    guard isSame else {
      Log.notice("The tools of the server \(name: name) differ from those that the user has approved.")
      throw BusError(
        .toolApprovalDenied,
        en(
          """
          The tools of '\(name)' are not those that you have approved: chappie tools approve \(name) shows what is \
          new.
          """))
    }
    return (listing, approval)
  }

  // MARK: Calls

  private func call(
    _ tool: MCPTool, of entry: ToolServerEntry, _ call: ChappieToolCall, for turn: ServiceTurn
  ) async throws -> ChappieToolResult {
    turn.calls.goOn(call.id)
    let name = entry.configuration.name
    // The one that runs may have fewer rights than at the beginning of the turn.
    let server = try running[name]?.server ?? start(entry)
    defer { rest(name) }
    do {
      let output = try await server.call(
        tool, call.argumentsJSON ?? [:], within: entry.configuration.callTimeout * 10 + MCPQuestion.patience,
        progress: { [weak turn] in turn?.progressed(call.id, $0, $1) },
        ask: { [weak turn] in await turn?.answer(to: $0, of: name, call.id) ?? .cancel })
      await noteUse(of: tool, name)
      return ChappieToolResult(output, of: name)
    } catch let error as ChappieMCPError {
      // The next call starts it anew, also while its program is still ending.
      if case .ended = error, running[name]?.server === server { stop(name) }
      return ChappieToolResult(failure: error.description(of: name))
    }
  }

  /// Notes that a tool has run: the first time, it always asks.
  private func noteUse(of tool: MCPTool, _ server: String) async {
    await offActor {
      var approval = ToolApproval.load(server)
      guard approval.isApproved(tool), !approval.used.contains(tool.name) else { return }
      approval.noteUse(tool)
      try? approval.save()
    }
  }

  // MARK: Programs

  /// The server's program, which is started if it does not run, or if its description has changed.
  private func start(_ entry: ToolServerEntry) throws -> ToolServer {
    let name = entry.configuration.name
    if let known = running[name] {
      if known.configuration == entry.configuration {
        rest(name)
        return known.server
      }
      // The user may have taken rights away.
      stop(name)
    }
    try makeRoom()
    guard let program = ProgramFile()?.path else {
      throw BusError(.missingToolHandler, "The system does not tell where the program for tool servers is.")
    }
    let command = [program, "--tool-server", name]
    do {
      let server = try ToolServer(ToolServerUnit.command(command, for: name))
      server.onEnd { [weak self, weak server] in
        Log.info("The tool server \(name: name) has ended.")
        // Another one may have taken its place.
        if let self, running[name]?.server === server { running[name] = nil }
      }
      Log.info("The tool server \(name: name) starts.")
      running[name] = Running(configuration: entry.configuration, server: server)
      rest(name)
      return server
    } catch let error as GLibError {
      throw BusError(.missingToolHandler, ChappieMCPError.notStarted(error.message).description(of: name))
    }
  }

  /// Ends the server that has rested longest, if there are too many.
  private func makeRoom() throws {
    guard running.count >= Self.runningLimit else { return }
    let resting = running.filter { !$0.value.server.isBusy }
    guard let oldest = resting.min(by: { $0.value.lastUse < $1.value.lastUse }) else {
      throw BusError(.limitExceeded, "\(Self.runningLimit) tool servers run: wait until some have ended.")
    }
    stop(oldest.key)
  }

  /// Begins to wait for the next use of a server.
  private func rest(_ name: String) {
    running[name]?.lastUse = .now
    running[name]?.idle = Timer(after: Self.idleTime) { [weak self] in
      if self?.running[name]?.server.isBusy == true { self?.rest(name) } else { self?.stop(name) }
    }
  }

  private func stop(_ name: String) {
    guard let known = running.removeValue(forKey: name) else { return }
    Log.info("The tool server \(name: name) is ended.")
    // A call that still runs holds the server until it has ended.
    guard !known.server.isBusy else { return }
    Task.onGLib { await known.server.end() }
  }
}

/// The transient unit of a tool server, where the user's instance of systemd runs.
enum ToolServerUnit {
  private static let runner = "/usr/bin/systemd-run"
  /// The memory of a server with its program, in bytes, and the processes.
  private static let memory = 2 << 30
  private static let tasks = 512
  private static let time = "12h"

  /// The command that runs `command` with bounds.
  static func command(_ command: [String], for server: String) -> [String] {
    guard Files.exists(Directories.runtime + "/systemd/private"), Files.exists(runner) else { return command }
    return [
      runner, "--user", "--pipe", "--wait", "--collect", "--quiet",
      "--unit=chappie-tools-\(server)-\(UInt32.random(in: 0 ... .max)).service",
      "--description=The tool server \(server) of Chappie", "--property=NoNewPrivileges=yes",
      "--property=MemoryMax=\(memory)", "--property=TasksMax=\(tasks)", "--property=RuntimeMaxSec=\(time)", "--",
    ] + command
  }
}
