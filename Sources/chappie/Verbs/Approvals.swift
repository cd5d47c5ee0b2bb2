// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

extension Verb {
  /// `chappie approvals`: shows the tool calls that wait for the user.
  static let approvals = Verb(
    "approvals", tr("Show the tool calls that wait for approval"),
    details: tr(
      """
      Each call is shown with its complete arguments on one line. Invisible characters are written as escapes, such as \
      \\u202e.
      """),
    verbs: [approve, deny], jsonLines
  ) { json in
    Work(json: json) { service in
      let approvals = try await waiting(service)
      if json {
        for approval in approvals {
          StandardStream.output.line(JSONObject(["approval", "tool", "app", "arguments"], of: approval).line)
        }
      } else if approvals.isEmpty {
        StandardStream.output.line(tr("No tool call waits for approval."))
      } else {
        for approval in approvals { StandardStream.output.write(try text(approval)) }
        StandardStream.output.line(tr("Answer with chappie approvals approve ID, or deny ID."))
      }
    }
  }

  @GLibActor
  private static func waiting(_ service: ServiceConnection) async throws -> [VariantDictionary] {
    var approvals: [VariantDictionary] = []
    let reply = try await service.manager("ListApprovals")
    for listed in try reply.member(0, "approvals", as: [VariantDictionary].self) {
      do {
        let id: String = try listed.value("approval") ?? ""
        approvals.append(try await service.manager("GetApproval", .tuple(id)).member(0, "details"))
      } catch let error as GLibError where error.name == .invalidArgument {
        // The call was approved or denied meanwhile.
      }
    }
    return approvals
  }

  private static func text(_ approval: VariantDictionary) throws -> String {
    let id: String = try approval.value("approval") ?? ""
    let tool = try approval.value("tool", as: String.self)?.terminalSafeLine ?? ""
    let app: String? = try approval.value("app")
    return """
      \(id.terminalSafeLine)  \(app.map { tr("\(tool), of \($0.terminalSafeLine)") } ?? tool)
      \(LegibleJSON(try approval.value("arguments") ?? "").text)


      """
  }

  // MARK: Answers

  private static let approve = Verb(
    "approve", tr("Let a tool run once"),
    details: tr("ID is what chappie approvals shows. Nothing is approved while the screen or the keyring is locked."),
    word(tr("ID"), whichApproval)
  ) { approval in
    Work { service in
      try await service.manager("AnswerApproval", .tuple(approval, true, ""))
      StandardStream.output.line(tr("Approved: the tool runs once."))
    }
  }

  private static let deny = Verb(
    "deny", tr("Keep a tool from running"),
    details: tr("ID is what chappie approvals shows. The model is told REASON."),
    words(tr("ID [REASON…]")).map { try $0.several(whichApproval) }
  ) { words in
    Work { service in
      let reason = words.dropFirst().joined(separator: " ")
      try await service.manager("AnswerApproval", .tuple(words[0], false, reason))
      StandardStream.output.line(tr("Denied: the tool does not run."))
    }
  }

  private static var whichApproval: String { tr("Which approval? See chappie approvals.") }
}
