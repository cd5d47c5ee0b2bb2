// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// `chappie context`: shows and changes the conversation of `ask --continue`.
struct Context: Verb {
  static let name = "context"
  static let summary = tr("Show, summarise or forget the conversation of ask --continue")
  static let details = ""

  private enum Action {
    case show
    case messages
    case clear
    case compact(String)
  }

  let account: String?
  private let action: Action
  let json: Bool

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    let messages = parser.flag("messages", tr("Print the messages"))
    let clear = parser.flag("clear", tr("Forget it"))
    let compact = parser.flag("compact", tr("Have the model summarise it"))
    let summary = parser.string("summary", placeholder: tr("TEXT"), tr("Replace it by this summary"))
    let json = parser.flag("json", tr("Print one JSON object"))
    return { arguments in
      let wanted: [Action?] = [
        arguments[messages] ? .messages : nil, arguments[clear] ? .clear : nil,
        arguments[compact] ? .compact("") : nil, arguments[summary].map { .compact($0) },
      ]
      let actions = wanted.compactMap(\.self)
      guard actions.count <= 1 else {
        throw CommandLineError(tr("--messages, --clear, --compact and --summary exclude each other."))
      }
      return Context(account: arguments[account], action: actions.first ?? .show, json: arguments[json])
    }
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    let client = try await service.sharedClient(account)
    let summary = ContextSummary(service: service, client: client)
    switch action {
    case .show: break
    case .messages: return try await printMessages(service, client)
    case .clear: try await service.call(client, "Client", "ClearContext")
    case .compact(let text): try await service.call(client, "Client", "CompactContext", .tuple(text), timeout: nil)
    }
    StandardStream.output.write(try await (json ? summary.json() : summary.line()) + "\n")
    return .success
  }

  @GLibActor
  private func printMessages(_ service: ServiceConnection, _ client: ObjectPath) async throws -> ExitStatus {
    let context: VariantDictionary = try await service.call(client, "Client", "GetContext").member(0, "context")
    if let summary: String = try context.value("compacted_summary") {
      StandardStream.output.write(data: "summary: \(summary)\n")
    }
    for message in context["messages"]?.children ?? [] {
      let role: String = try message.member(0, "role")
      let text: String = try message.member(1, "text")
      StandardStream.output.write(data: "\(role.terminalSafeLine): \(text)\n")
    }
    return .success
  }
}
