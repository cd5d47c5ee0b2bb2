// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Platform

/// A failure of a tool server, or of a call of one of its tools.
public enum ChappieMCPError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The program could not be started. The text says why.
  case notStarted(String)
  /// The server does not run any more. The text says why: "it ended with the status 1".
  case ended(String)
  /// The server did not answer a request within this time.
  case noAnswer(String, Duration)
  /// The server refused a request, with this code of JSON-RPC.
  case refused(code: Int64, String)
  /// What the server answered cannot be used. The text says why.
  case unusable(String)

  /// The code and the message of an error of JSON-RPC.
  init(_ error: ChappieJSONValue) {
    self = .refused(
      code: error["code"]?.integerValue ?? 0, ForeignText.line(error["message"]?.stringValue ?? "no reason given"))
  }

  /// The failure of a server that does not start because of its configuration.
  init(_ error: ToolsFileError) {
    let sentence = error.description
    self = .notStarted(sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence)
  }

  /// One sentence for a person. It names no server: the '' of an empty name are taken out.
  public var description: String { description(of: "").replacing(" ''", with: "", maxReplacements: 1) }

  /// One sentence for a person, with the server's name.
  package func description(of server: String) -> String {
    switch self {
    case .notStarted(let reason): en("The tool server '\(server)' did not start: \(reason).")
    case .ended(let reason): en("The tool server '\(server)' has ended: \(reason).")
    case .noAnswer(let method, let time):
      en("The tool server '\(server)' did not answer \(method) within \(time.components.seconds) seconds.")
    case .refused(let code, let message): en("The tool server '\(server)' refused: \(message) (\(code)).")
    case .unusable(let reason): en("The tool server '\(server)' cannot be used: \(reason).")
    }
  }
}

extension ChappieMCPError {
  /// The code and the text by which the program of a server tells its service of this failure.
  var relayed: (code: Int64, message: String) {
    switch self {
    case .notStarted(let reason): (-32001, reason)
    case .ended(let reason): (-32002, reason)
    case .unusable(let reason): (-32003, reason)
    case .noAnswer(let method, let time):
      (-32003, "it did not answer \(method) within \(time.components.seconds) seconds")
    case .refused(let code, let message): (code, message)
    }
  }

  init(relayed code: Int64, _ message: String) {
    self =
      switch code {
      case -32001: .notStarted(message)
      case -32002: .ended(message)
      case -32003: .unusable(message)
      default: .refused(code: code, message)
      }
  }
}
