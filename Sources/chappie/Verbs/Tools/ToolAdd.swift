// SPDX-License-Identifier: Apache-2.0
import ChappieMCP
import GLibBridge
import Platform

extension Verb {
  /// `chappie tools add`: adds a server, or those in a file of another program.
  static let toolAdd = Verb(
    "add", tr("Add a server, after a look at what it runs"),
    details: tr(
      """
      The command is shown with the rights that it gets. After your consent it runs once, and its tools are shown. They \
      can be used once you approve them. With --from, each server in the file is asked for by itself.
      """),
    texts(
      "directory", placeholder: tr("PATH[:ro]"), tr("Give it a directory, with :ro to read only; may be repeated")),
    flag("network", tr("Give it the network")),
    flag("unboxed", tr("Run it without a sandbox, with all your rights")),
    assignments("env", tr("Set a variable for it; ${keyring:NAME} is a secret")),
    text("from", placeholder: tr("FILE"), tr("Add the servers in a file of Claude, Cursor, VS Code or Codex")),
    asks, command(tr("NAME -- COMMAND…"))
  ) { directories, network, unboxed, variables, from, asks, words in
    let given = directories.map { ChappieMCPConfiguration.Directory(argument: $0) }
    guard !(unboxed && (network || !given.isEmpty)) else {
      throw CommandLineError(tr("--unboxed gives everything already: leave --network and --directory out."))
    }
    // Adds what the command line gives to what the server has.
    let give: @Sendable (inout ToolServerEntry) -> Void = { entry in
      entry.configuration.environment.merge(variables) { $1 }
      guard !unboxed, case .boxed(let hasNetwork, let own) = entry.configuration.box else {
        entry.configuration.box = .unboxed
        return
      }
      let others = own.filter { directory in !given.contains { $0.path == directory.path } }
      entry.configuration.box = .boxed(network: hasNetwork || network, directories: others + given)
    }
    if let from {
      guard words.own.isEmpty, words.command.isEmpty else {
        throw CommandLineError(tr("--from takes no server on the command line."))
      }
      return Work(run: { _ in try await ServerAdding(asks: asks).addAll(of: from, give) })
    }
    guard words.own.count == 1, !words.command.isEmpty else {
      throw CommandLineError(tr("Give a name, and after -- a command: chappie tools add NAME -- COMMAND…"))
    }
    return Work(local: {
      var entry = ToolServerEntry(ChappieMCPConfiguration(name: words.own[0], command: words.command))
      give(&entry)
      try await ServerAdding(asks: asks).add(entry)
    })
  }

  /// The arguments that are no options, and the command after `--`.
  private static func command(
    _ placeholder: @autoclosure @escaping @Sendable () -> String
  ) -> VerbOption<(own: [String], command: [String])> {
    VerbOption { parser in
      parser.acceptCommand(placeholder: placeholder())
      return { ($0.remaining, $0.command) }
    }
  }
}

/// The questions before a server is added.
@GLibActor
private struct ServerAdding {
  let asks: Bool

  /// Adds the servers in a file of another program. One that is refused or fails does not stop the others.
  ///
  /// - Returns: ``ExitStatus/failed`` if one was not added.
  func addAll(of path: String, _ change: (inout ToolServerEntry) -> Void) async throws -> ExitStatus {
    let servers: [ServerImport.Server]
    do {
      servers = try ServerImport(path: path).servers
    } catch {
      throw CommandFailure(.usage, CommandFailure(error).message)
    }
    var status = ExitStatus.success
    for server in servers {
      do {
        var entry = try server.entry.get()
        change(&entry)
        try await add(entry)
      } catch {
        let failure = CommandFailure(error)
        guard failure.status != .interrupted else { throw failure }
        CommandFailure.report(failure.message)
        status = .failed
      }
      StandardStream.output.line("")
    }
    return status
  }

  /// Shows what the server runs, starts it once, shows its tools, and adds it.
  ///
  /// - Throws: ``CommandFailure``, also for a refusal; ``ToolsFileError``, `CancellationError`.
  func add(_ entry: ToolServerEntry) async throws {
    var entry = entry
    // The service may have another search path.
    if let program = entry.configuration.program { entry.configuration.command[0] = program }
    let server = UserServer(entry: entry)
    try entry.configuration.check()
    try checkIsNew(server.name)
    let refused = tr("“\(server.name)” was not added.")
    StandardStream.output.line(tr("“\(server.name)” runs a program on this computer:"))
    StandardStream.output.write(ToolTexts.rights(of: entry.configuration))
    if asks { try await Confirmation.ask(tr("Run it?"), refused: refused) }
    let listing = try await server.listing()
    StandardStream.output.line("")
    StandardStream.output.write(ToolTexts.tools(of: listing))
    if asks { try await Confirmation.ask(tr("Approve these tools?"), refused: refused) }
    // The questions take time.
    try checkIsNew(server.name)
    try await ToolsFile.change { (file) throws(ToolsFileError) in try file.set(entry) }
    var approval = ToolApproval(name: server.name)
    approval.approve(listing, program: entry.configuration.program)
    try approval.save()
    StandardStream.output.line(
      tr("Added “\(server.name)”: each call asks, unless chappie tools policy says otherwise."))
  }

  private func checkIsNew(_ name: String) throws {
    guard try ToolsFile.read()[name] == nil else {
      throw CommandFailure(
        .failed, tr("There is a server “\(name)” already: chappie tools remove \(name) removes it."))
    }
  }
}

extension Verb {
  /// `chappie tools approve`: approves what a server says of its tools now.
  static let toolApprove = Verb(
    "approve", tr("Approve the tools of a server as they are now"),
    details: tr(
      """
      It starts the server, and shows line by line what differs from what you approved before. A tool whose description \
      has changed is not used until then.
      """),
    server, asks
  ) { name, asks in Work(local: { try await approve(try UserServer(name), asks: asks) }) }

  @GLibActor
  private static func approve(_ server: UserServer, asks: Bool) async throws {
    let listing = try await server.listing { failure in
      var approval = ToolApproval.load(server.name)
      approval.noteFailure(failure)
      try? approval.save()
    }
    let program = server.entry.configuration.program
    let approval = ToolApproval.load(server.name)
    if case .damaged(let error) = approval.state { CommandFailure.report(error.reason.translation) }
    let changes = approval.changes(against: listing, program: program)
    if changes.isEmpty, approval.state == .approved {
      return StandardStream.output.line(tr("Nothing has changed since you approved the tools of “\(server.name)”."))
    }
    for line in changes.flatMap(ToolTexts.lines) { StandardStream.output.line(line) }
    if asks { try await Confirmation.ask(tr("Approve this?"), refused: tr("Nothing was approved.")) }
    // The question takes time, in which a tool may have been used.
    var latest = ToolApproval.load(server.name)
    latest.approve(listing, program: program)
    try latest.save()
    StandardStream.output.line(tr("Approved the tools of “\(server.name)”."))
  }
}
