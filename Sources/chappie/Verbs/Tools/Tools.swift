// SPDX-License-Identifier: Apache-2.0
import ChappieMCP
import ChappieSDK
import GLibBridge
import Platform

extension Verb {
  /// `chappie tools`: manages the user's servers of the Model Context Protocol.
  static let tools = Verb(
    "tools", tr("Manage the MCP servers whose tools the model may call"),
    details: tr(
      """
      Without a command, the servers are listed. They are in chappie/tools.json of your configuration directory. None is \
      used unless a question names it.
      """),
    verbs: [
      toolAdd, toolList, toolShow, toolPolicy, toolApprove, toolRemove, toolEnable, toolDisable, toolSecret, toolLog,
    ], jsonLines, work: listServers)

  /// A verb for one server, which needs no service.
  static func onServer(
    _ name: String, _ summary: @autoclosure @escaping @Sendable () -> String,
    details: @autoclosure @escaping @Sendable () -> String = "",
    _ run: @escaping @GLibActor @Sendable (UserServer) async throws -> Void
  ) -> Verb {
    Verb(name, summary(), details: details(), server) { name in
      Work(local: { try await run(try UserServer(name)) })
    }
  }

  /// The one argument of a verb for a server.
  static var server: VerbOption<String> { word(tr("NAME"), tr("Which server? See chappie tools list.")) }

  // MARK: Changing servers

  static let toolRemove = onServer(
    "remove", tr("Remove a server, with what was approved"), details: tr("Its secrets stay in the keyring.")
  ) { server in
    try await ToolsFile.change { file in file.remove(server.name) }
    ToolApproval.remove(server.name)
    StandardStream.output.line(tr("Removed “\(server.name)”."))
  }

  static let toolEnable = onServer("enable", tr("Let questions use a server again")) { server in
    try await server.change { $0.isEnabled = true }
    StandardStream.output.line(tr("“\(server.name)” can be used."))
  }

  static let toolDisable = onServer("disable", tr("Keep a server, and let no question use it")) { server in
    try await server.change { $0.isEnabled = false }
    StandardStream.output.line(tr("“\(server.name)” is not used any more."))
  }

  static let toolPolicy = Verb(
    "policy", tr("Say which calls run at once, ask or are refused"),
    details: tr(
      """
      ask, which each server has at first, asks before each call. deny refuses each call. automatic, for a server, \
      means that you trust it: tools that only read, as the server itself says, run without a question after their \
      first call. A policy for one tool counts before that of its server.
      """),
    words(tr("SERVER[/TOOL] POLICY"))
  ) { words in
    guard words.count == 2 else { throw CommandLineError(tr("Give a server and a policy: see --help.")) }
    guard let policy = ChappieToolPolicy(rawValue: words[1]) else {
      throw CommandLineError(tr("“\(words[1])” is no policy: use automatic, ask or deny."))
    }
    let parts = words[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    return Work(local: {
      let server = try UserServer(parts[0])
      guard parts.count == 2 else {
        try await server.change { $0.policy = policy }
        return StandardStream.output.line(tr("“\(server.name)” has the policy \(policy.rawValue)."))
      }
      let approval = ToolApproval.load(server.name)
      guard approval.pins[bytesOf: parts[1]] != nil else {
        throw CommandFailure(
          .usage,
          tr("“\(server.name)” has no tool “\(parts[1].terminalSafeLine)”.")
            + Spelling.suggestion(for: parts[1], among: approval.pins.keys.sorted()))
      }
      try await server.change { $0.toolPolicies[parts[1]] = policy }
      StandardStream.output.line(tr("\(parts[1].terminalSafeLine) has the policy \(policy.rawValue)."))
    })
  }
}

/// A server of the user's configuration.
@GLibActor
struct UserServer {
  let entry: ToolServerEntry

  var name: String { entry.configuration.name }
}

extension UserServer {
  /// - Throws: ``CommandFailure`` if there is none of this name; ``ToolsFileError``.
  init(_ name: String) throws {
    let file = try ToolsFile.read()
    guard let entry = file[name] else {
      throw CommandFailure(
        .usage,
        tr("There is no server “\(name.terminalSafeLine)”.")
          + Spelling.suggestion(for: name, among: file.servers.map(\.configuration.name)))
    }
    self.entry = entry
  }

  /// Changes the server in the file, which another command may have changed meanwhile.
  func change(_ change: (inout ToolServerEntry) -> Void) async throws {
    try await ToolsFile.change { (file) throws(ToolsFileError) in
      guard var latest = file[name] else { return }
      change(&latest)
      try file.set(latest)
    }
  }

  /// Starts the server, and lists its tools.
  ///
  /// - Parameter note: receives the failure of the server, in English.
  /// - Throws: ``CommandFailure``, ``ToolsFileError``, `CancellationError`.
  func listing(notingFailure note: (String) -> Void = { _ in }) async throws -> MCPListing {
    do {
      let secrets = ToolSecrets(interaction: .allowed)
      let resolved = try await Variables.resolve(entry.configuration) { try await secrets.secret($0) }
      guard resolved.program != nil else {
        let program = (resolved.command.first ?? "").terminalSafeLine
        throw ToolsFileError(en("There is no program “\(program)”: install it, or give its whole path."))
      }
      return try await Spinner.show(tr("Starting “\(name)”…")) {
        let server = try await ChappieMCPServer.start(resolved)
        do {
          let listing = try await server.listing()
          await server.end()
          return listing
        } catch {
          await server.end()
          throw error
        }
      }
    } catch let error as ToolsFileError {
      note(error.description)
      throw error
    } catch let error as ChappieMCPError {
      let description = error.description(of: name)
      note(description)
      var sentence = Translation.of(description)
      // A program such as npx loads the server first.
      switch (error, entry.configuration.box) {
      case (.ended, .boxed(network: false, _)), (.noAnswer, .boxed(network: false, _)):
        sentence += " " + tr("It ran without the network, which tools add --network gives.")
      default: break
      }
      throw CommandFailure(.failed, sentence)
    }
  }
}
