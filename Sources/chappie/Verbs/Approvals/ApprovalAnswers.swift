// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// `chappie approvals approve`: approves a tool call.
struct Approve: Verb {
  static let name = "approve"
  static let summary = tr("Let a tool run once")
  static let details =
    tr("ID is what chappie approvals shows. Nothing is approved while the screen or the keyring is locked.")

  let approval: String

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    parser.acceptRemaining(placeholder: tr("ID"))
    return { arguments in
      let words = try arguments.approval()
      guard words.count == 1 else { throw CommandLineError(tr("“\(words[1])” is one argument too many")) }
      return Approve(approval: words[0])
    }
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    try await service.call(ServiceConnection.root, "Manager", "AnswerApproval", .tuple(approval, true, ""))
    StandardStream.output.write(tr("Approved: the tool runs once.") + "\n")
    return .success
  }
}

/// `chappie approvals deny`: denies a tool call.
struct Deny: Verb {
  static let name = "deny"
  static let summary = tr("Keep a tool from running")
  static let details = tr("ID is what chappie approvals shows. The model is told REASON.")

  let approval: String
  let reason: String

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    parser.acceptRemaining(placeholder: tr("ID [REASON…]"))
    return { arguments in
      let words = try arguments.approval()
      return Deny(approval: words[0], reason: words.dropFirst().joined(separator: " "))
    }
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    try await service.call(ServiceConnection.root, "Manager", "AnswerApproval", .tuple(approval, false, reason))
    StandardStream.output.write(tr("Denied: the tool does not run.") + "\n")
    return .success
  }
}

extension CommandLineArguments {
  /// The id of an approval, and the words after it.
  fileprivate func approval() throws -> [String] {
    guard !remaining.isEmpty else { throw CommandLineError(tr("Which approval? See chappie approvals.")) }
    return remaining
  }
}
