// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

#if FoundationTypes
  import FoundationEssentials
#endif

/// Collects the events of one turn for the store.
@GLibActor
final class TurnRecorder {
  private let message: ChappieInputMessage
  private var compactions: [ChappieTurnEvent] = []
  private var events: [ChappieTurnEvent] = []
  /// The text that had arrived when the turn failed.
  private var partial = ""

  init(_ message: ChappieInputMessage) {
    self.message = message
  }

  /// Adds an event of the running turn.
  func take(_ record: TurnRecord) {
    switch record {
    case .compaction(let summary): compactions.append(.compaction(summary: summary))
    case .failure(let text): partial = text
    case .items(let items): events += items.compactMap(Self.event)
    case .event(.toolCallCompleted(let result)):
      events.append(
        .toolOutput(callID: result.callID, name: result.toolName, status: result.status, output: result.output))
    case .event: break
    }
  }

  /// The event for an item of the answer; nil for a message, because the end of the turn holds the text.
  private static func event(_ item: ChappieJSONValue) -> ChappieTurnEvent? {
    if let call = ToolCallItem(item) {
      return .toolCall(callID: call.callID, name: call.name, arguments: call.arguments)
    }
    return item["type"]?.stringValue == "message" ? nil : .payload(item)
  }

  /// The complete turn.
  func turn(answered response: ChappieResponse) -> ChappieTurn {
    let output = ChappieTurnEvent.output(
      text: response.outputText, model: response.model, responseID: response.responseID)
    return turn(response.citations.isEmpty ? [output] : [output, .citations(response.citations)])
  }

  /// The failed turn, with the partial answer.
  ///
  /// - Parameter model: the slug of the model.
  func turn(failed error: any Error, model: String) -> ChappieTurn {
    let output = partial.isEmpty ? [] : [ChappieTurnEvent.output(text: partial, model: model, responseID: "")]
    return turn(output + [.failure(error)])
  }

  private func turn(_ end: [ChappieTurnEvent]) -> ChappieTurn {
    ChappieTurn(recording: compactions + [.input(message)] + events + end)
  }
}

extension ChappieTurnEvent {
  /// The event that records the failure of a turn.
  static func failure(_ error: any Error) -> ChappieTurnEvent {
    switch error {
    case let error as ChappieClientError: .error(name: error.name, message: error.description)
    case is CancellationError: .error(name: "cancelled", message: "The turn was cancelled.")
    default: .error(name: "other", message: "\(error)")
    }
  }
}

extension ChappieClientError {
  /// The name of the case in stored threads. It never changes.
  var name: String {
    switch self {
    case .httpError: "http-error"
    case .signInServer: "sign-in-server"
    default: errorName.rawValue.hyphenated
    }
  }
}

extension String {
  /// `MissingAccountID` as `missing-account-id`.
  fileprivate var hyphenated: String {
    var words = ""
    var isInWord = false
    for letter in self {
      if isInWord, letter.isUppercase { words += "-" }
      isInWord = letter.isLowercase
      words += letter.lowercased()
    }
    return words
  }
}

/// An error of ``ChappieRuntime`` after the model has answered.
public enum ChappieRuntimeError: Error, Sendable, Hashable {
  /// The turn could not be stored. The values are the answer and the reason. The conversation continues without this
  /// turn.
  case notStored(ChappieResponse, ChappieThreadStoreError)
}

extension ChappieRuntimeError: CustomStringConvertible {
  /// The error and its remedy, for a person.
  public var description: String {
    switch self {
    case .notStored(_, let reason): "The answer could not be stored. \(reason)"
    }
  }
}

extension ChappieClientContext {
  /// The context of a client that continues `thread`: the messages of all turns that succeeded, after the last summary.
  func resuming(_ thread: ChappieThread) -> ChappieClientContext {
    var context = self
    context.threadID = thread.id
    context.messages = []
    context.compactedSummary = nil
    for turn in thread.turns {
      // A redacted summary says nothing, so the messages before it stay.
      for case .compaction(let summary) in turn.events
      where !summary.isEmpty && summary != ChappieThreadRedaction.mask {
        context.messages = []
        context.compactedSummary = summary
      }
      // Redaction may leave a message empty, and the backend refuses empty messages.
      let hasFailed = turn.events.contains { if case .error = $0 { true } else { false } }
      if !hasFailed { context.messages += turn.events.compactMap(\.message).filter { !$0.text.isEmpty } }
    }
    return context
  }
}

extension ChappieTurnEvent {
  fileprivate var message: ChappieInputMessage? {
    switch self {
    case .input(let message): message
    case .output(let text, _, _): .assistant(text)
    default: nil
    }
  }
}

#if FoundationTypes
  // `localizedDescription` equals `description`.

  extension ChappieThreadStoreError: LocalizedError {
    public var errorDescription: String? { description }
  }

  extension ChappieRuntimeError: LocalizedError {
    public var errorDescription: String? { description }
  }
#endif
