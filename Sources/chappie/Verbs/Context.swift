// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

extension Verb {
  /// `chappie context`: shows and changes the conversation of `ask`.
  static let context = Verb("context", tr("Show, summarise or forget the conversation of ask outside of threads")) {
    parser in
    let account = parser.account()
    let messages = parser.flag("messages", tr("Print the messages"))
    let clear = parser.flag("clear", tr("Forget it"))
    let compact = parser.flag("compact", tr("Have the model summarise it"))
    let summary = parser.string("summary", placeholder: tr("TEXT"), tr("Replace it by this summary"))
    let json = parser.json()
    return { arguments in
      let actions = [arguments[messages], arguments[clear], arguments[compact], arguments[summary] != nil]
      guard actions.count(where: { $0 }) <= 1 else {
        throw CommandLineError(tr("--messages, --clear, --compact and --summary exclude each other."))
      }
      return Work(json: arguments[json]) { service in
        let client = try await service.sharedClient(arguments[account])
        if arguments[messages] {
          StandardStream.output.write(data: try await Conversation(service, client).messages())
          return .success
        }
        if arguments[clear] {
          try await service.call(client, "Client", "ClearContext")
          LastAsk.conversation.note(of: arguments[account])
        }
        if let text = arguments[summary] ?? (arguments[compact] ? "" : nil) {
          try await service.call(client, "Client", "CompactContext", .tuple(text), timeout: nil)
        }
        let conversation = try await Conversation(service, client)
        StandardStream.output.line(arguments[json] ? conversation.json.line : try conversation.length())
        return .success
      }
    }
  }
}
