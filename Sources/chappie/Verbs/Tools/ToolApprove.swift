// SPDX-License-Identifier: Apache-2.0
import ChappieMCP
import GLibBridge
import Platform

extension Verb {
  /// `chappie tools approve`: approves what a server says of its tools now.
  static let toolApprove = Verb(
    "approve", tr("Approve the tools of a server as they are now"),
    details: tr(
      """
      It starts the server, and shows line by line what differs from what you approved before. A tool whose description \
      has changed is not used until then.
      """)
  ) { parser in
    let yes = parser.yes()
    parser.acceptRemaining(placeholder: tr("NAME"))
    return { arguments in
      let name = try arguments.one(tr("Which server? See chappie tools list."))
      let asks = try arguments.asks(unless: yes)
      return Work(anywhere: { _ in
        try await approve(try UserServer(name), asks: asks)
        return .success
      })
    }
  }

  @GLibActor
  private static func approve(_ server: UserServer, asks: Bool) async throws {
    let listing: MCPListing
    do {
      listing = try await server.listing()
    } catch {
      let failure = CommandFailure(error)
      var approval = ToolApproval.load(server.name)
      approval.noteFailure(failure.message)
      if failure.status != .interrupted { try? approval.save() }
      throw failure
    }
    let program = server.entry.configuration.program
    let approval = ToolApproval.load(server.name)
    if case .damaged(let error) = approval.state { CommandFailure.report(error.reason.translation) }
    let changes = approval.changes(against: listing, program: program)
    if changes.isEmpty, approval.state == .approved {
      StandardStream.output.line(tr("Nothing has changed since you approved the tools of “\(server.name)”."))
      return
    }
    for line in changes.flatMap(ToolTexts.lines) { StandardStream.output.line(line) }
    if asks {
      try await Confirmation.ask(tr("Approve this?"), refused: tr("Nothing was approved."))
    }
    // The question takes time, in which a tool may have been used.
    var latest = ToolApproval.load(server.name)
    latest.approve(listing, program: program)
    try latest.save()
    StandardStream.output.line(tr("Approved the tools of “\(server.name)”."))
  }
}
