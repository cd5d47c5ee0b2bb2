// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// Collects the events of one turn for the store.
@GLibActor
final class TurnRecorder {
  private let message: ChappieInputMessage
  private var compactions: [ChappieTurnEvent] = []
  private var events: [ChappieTurnEvent] = []

  init(_ message: ChappieInputMessage) {
    self.message = message
  }

  /// Adds an event of the running turn.
  func take(_ record: TurnRecord) {
    switch record {
    case .compaction(let summary): compactions.append(.compaction(summary: summary))
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
    turn([.output(text: response.outputText, model: response.model, responseID: response.responseID)])
  }

  /// The failed turn, with the partial answer.
  ///
  /// - Parameters:
  ///   - text: the text that had arrived.
  ///   - model: the slug of the model.
  func turn(failed error: any Error, after text: String, model: String) -> ChappieTurn {
    let partial = text.isEmpty ? [] : [ChappieTurnEvent.output(text: text, model: model, responseID: "")]
    return turn(partial + [.failure(error)])
  }

  private func turn(_ end: [ChappieTurnEvent]) -> ChappieTurn {
    ChappieTurn(recording: compactions + [.input(message)] + events + end)
  }
}
