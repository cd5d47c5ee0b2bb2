// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// `chappie approvals`: shows the tool calls that wait for the user.
struct Approvals: Verb {
  static let name = "approvals"
  static let summary = tr("Show the tool calls that wait for approval")
  static let details = tr(
    """
    Each call is shown with its complete arguments on one line. Invisible characters are written as escapes, such as \
    \\u202e.
    """)
  static let verbs: [any Verb.Type] = [Approve.self, Deny.self]

  let json: Bool

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let json = parser.flag("json", tr("Print one JSON object a line"))
    return { Approvals(json: $0[json]) }
  }

  private struct Approval {
    let id: String
    let tool: String
    let app: String?
    let arguments: String

    init(_ values: VariantDictionary) throws {
      id = try values.value("approval") ?? ""
      tool = try values.value("tool") ?? ""
      app = try values.value("app")
      arguments = try values.value("arguments") ?? ""
    }
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    let approvals = try await list(service)
    if json {
      for approval in approvals { StandardStream.output.write(line(approval)) }
    } else if approvals.isEmpty {
      StandardStream.output.write(tr("No tool call waits for approval.") + "\n")
    } else {
      for approval in approvals { StandardStream.output.write(text(approval)) }
      StandardStream.output.write(tr("Answer with chappie approvals approve ID, or deny ID.") + "\n")
    }
    return .success
  }

  @GLibActor
  private func list(_ service: ServiceConnection) async throws -> [Approval] {
    let reply = try await service.call(ServiceConnection.root, "Manager", "ListApprovals")
    var approvals: [Approval] = []
    for listed in try reply.member(0, "approvals", as: [VariantDictionary].self) {
      let id: String = try listed.value("approval") ?? ""
      do {
        let details = try await service.call(ServiceConnection.root, "Manager", "GetApproval", .tuple(id))
        approvals.append(try Approval(details.member(0, "details")))
      } catch let error as GLibError where error.name == .invalidArgument {
        // The call was approved or denied meanwhile.
      }
    }
    return approvals
  }

  private func text(_ approval: Approval) -> String {
    let tool = approval.tool.terminalSafeLine
    let whose = approval.app.map { tr("\(tool), of \($0.terminalSafeLine)") } ?? tool
    return """
      \(approval.id.terminalSafeLine)  \(whose)
      \(LegibleJSON(approval.arguments).text)


      """
  }

  private func line(_ approval: Approval) -> String {
    var object = JSONObject()
    object.set("approval", approval.id)
    object.set("tool", approval.tool)
    object.set("app", approval.app)
    object.set("arguments", approval.arguments)
    return object.line + "\n"
  }
}
