// SPDX-License-Identifier: Apache-2.0
import ChappieMCP
import ChappieSDK
import GLibBridge

extension MCPQuestion {
  /// The question on the bus: `server`, and `url` or `fields`.
  func dictionary(of server: String) -> VariantDictionary {
    switch kind {
    case .page(let page): ["server": server, "url": page]
    case .form(let fields): ["server": server, "fields": fields.map(\.dictionary)]
    }
  }
}

extension MCPQuestion.Field {
  fileprivate var dictionary: VariantDictionary {
    let (word, choices): (String, [String]?) =
      switch kind {
      case .text: ("text", nil)
      case .number(let isWhole): (isWhole ? "integer" : "number", nil)
      case .flag: ("flag", nil)
      case .choice(let choices): ("choice", choices)
      }
    return ["name": name, "title": title, "kind": word, "choices": choices, "required": isRequired]
  }
}

extension MCPAnswer {
  /// The user's answer, as a caller gives it.
  ///
  /// - Throws: `BusError` with `InvalidArgument` for an unknown action.
  init(action: String, _ content: [String: ChappieJSONValue]) throws {
    switch action {
    case "accept": self = .accept(content)
    case "decline": self = .decline
    case "cancel": self = .cancel
    default:
      throw BusError(
        .invalidArgument, "'action' must be accept, decline or cancel, not '\(Redaction.message(action))'.")
    }
  }
}
