// SPDX-License-Identifier: Apache-2.0
import ChappieMCP
import ChappieSDK
import GLibBridge
import Platform

extension Verb {
  /// `chappie tools list`: lists the servers. It starts none.
  static let toolList = Verb("list", tr("List the servers"), jsonLines, work: listServers)

  @Sendable
  static func listServers(json: Bool) -> Work {
    Work(
      json: json,
      local: {
        let servers = try ToolsFile.read().servers.map { ServerSummary($0) }
        if json {
          for server in servers { StandardStream.output.line(server.json.line) }
        } else if servers.isEmpty {
          StandardStream.output.line(tr("There are no servers: chappie tools add NAME -- COMMAND adds one."))
        } else {
          let rows = servers.map(\.row)
          StandardStream.output.write(
            Table(tr("SERVER"), tr("TOOLS"), tr("POLICY"), tr("STATE"), tr("LAST ERROR"), rows: rows).text)
        }
      })
  }

  static let toolShow = onServer(
    "show", tr("Show everything about a server"),
    details: tr("Its tools are shown as you approved them, with whole descriptions. The server is not started.")
  ) { server in
    let summary = ServerSummary(server.entry)
    StandardStream.output.write(ToolTexts.rights(of: server.entry.configuration))
    var table = Table()
    table.append("  " + tr("Policy:"), server.entry.policy.rawValue)
    table.append("  " + tr("State:"), summary.state)
    if let program = summary.approval.program { table.append("  " + tr("Program:"), program.terminalSafeLine) }
    if let revision = summary.approval.revision { table.append("  " + tr("Protocol:"), revision.terminalSafeLine) }
    if let error = summary.error { table.append("  " + tr("Last error:"), error) }
    table.append("  SHA-256:", summary.approval.digest)
    StandardStream.output.write(table.text)
    if let instructions = summary.approval.instructions {
      StandardStream.output.write(ToolTexts.paragraph(tr("Instructions of the server:"), instructions))
    }
    for (name, pin) in summary.approval.pins.sorted(by: { $0.key < $1.key }) {
      let policy = server.entry.toolPolicies[bytesOf: name].map { " (\($0.rawValue))" } ?? ""
      StandardStream.output.line("\n\(name.terminalSafeLine)\(policy)")
      for (field, value) in (pin.objectValue ?? [:]).sorted(by: { $0.key < $1.key }) where field != "name" {
        StandardStream.output.line("  \(field.terminalSafeLine):")
        for line in ToolTexts.lines(of: value) { StandardStream.output.line("    " + line.terminalSafeCell) }
      }
    }
  }

  /// `chappie tools log`: shows the last calls.
  static let toolLog = Verb(
    "log", tr("Show the last calls of tools"),
    details: tr(
      """
      Chappie keeps no arguments and results. Lines that a server wrote to its standard error are shown too, and may have \
      some. Without NAME, the calls of all servers are shown.
      """),
    words(tr("[NAME]"))
  ) { names in
    guard names.count < 2 else { throw CommandLineError(tr("“\(names[1])” is one argument too many")) }
    return Work(local: {
      let servers = try names.isEmpty ? ToolsFile.read().servers : [UserServer(names[0]).entry]
      try showLog(of: servers.map(\.configuration.name))
    })
  }

  private static func showLog(of names: [String]) throws {
    var lines: [(time: Timestamp, cells: [String])] = []
    for name in names {
      for line in try ToolLog.read(name) {
        switch line {
        case .call(let time, let tool, let status, let milliseconds, let bytes):
          let size = ByteCount(bytes: UInt64(clamping: bytes)).text
          lines.append(
            (time, ["\(name)/\(tool.terminalSafeLine)", status.terminalSafeLine, "\(milliseconds) ms", size]))
        case .output(let time, let text): lines.append((time, [name, text.terminalSafeLine, "", ""]))
        }
      }
    }
    guard !lines.isEmpty else { return StandardStream.output.line(tr("No tool was called yet.")) }
    let rows = lines.sorted { $0.time < $1.time }.map { [$0.time.localText] + $0.cells }
    StandardStream.output.write(
      Table(tr("TIME"), tr("TOOL"), tr("STATUS"), tr("DURATION"), tr("SIZE"), rows: rows).text)
  }
}

/// A server with what is known of it without a start.
private struct ServerSummary {
  let entry: ToolServerEntry
  let approval: ToolApproval
  /// The state, for a script and for a person.
  private let word: String
  let state: String

  init(_ entry: ToolServerEntry) {
    self.entry = entry
    approval = ToolApproval.load(entry.configuration.name)
    // Another program of the same name may come first in the search path now.
    let isMoved = approval.program != nil && entry.configuration.program != approval.program
    (word, state) =
      switch approval.state {
      case _ where !entry.isEnabled: ("disabled", tr("disabled"))
      case .damaged: ("damaged", tr("damaged: see chappie tools approve \(entry.configuration.name)"))
      case .new: ("new", tr("not approved"))
      case .approved where !isMoved: ("approved", tr("approved"))
      case .approved, .changed: ("changed", tr("changed: see chappie tools approve \(entry.configuration.name)"))
      }
  }

  /// The last error; nil if there was none.
  var error: String? {
    if case .damaged(let error) = approval.state { return error.reason.translation }
    return approval.error.map { error in
      "\(Timestamp(error.time)?.shortLocalText ?? "") \(Translation.of(error.message).terminalSafeLine)"
    }
  }

  var row: [String] {
    [entry.configuration.name, "\(approval.pins.count)", entry.policy.rawValue, state, error ?? ""]
  }

  var json: JSONObject {
    [
      "server": entry.configuration.name, "command": entry.configuration.command, "tools": approval.pins.keys.sorted(),
      "policy": entry.policy.rawValue, "state": word, "error": approval.error?.message,
      "error_at": approval.error?.time,
    ]
  }
}
