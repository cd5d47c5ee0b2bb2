// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The state that the requests of one turn share.
@GLibActor
final class TurnScope {
  let caller: TurnCaller
  let line: BackendLine
  let size: TurnSize
  let text = AnswerText()
  var search = WebSearchProgress()
  /// How the model gets the files of the conversation; nil if there are none.
  var filesForm: ChappieFilesForm?
  /// The account that the latest request belongs to.
  var accountID: String?
  /// The model of the turn; nil until it is chosen.
  var model: RequestModel?
  private let slot: CredentialSlot

  init(_ caller: TurnCaller, slot: CredentialSlot, _ line: BackendLine) {
    self.caller = caller
    self.slot = slot
    self.line = line
    size = TurnSize(caller.hold)
  }

  /// Handles the header fields of an answer.
  func take(_ headers: HTTPHeaders) -> FlowControl {
    line.turnState = headers["x-codex-turn-state"] ?? line.turnState
    if let etag = headers["x-models-etag"] { slot.modelCache.hear(etag, for: accountID) }
    return report(ChappieUsageLimitSnapshot(headers: headers))
  }

  /// Handles a report on the usage of the plan.
  func report(_ limits: ChappieUsageLimitSnapshot) -> FlowControl {
    slot.usage.report(limits, of: accountID).map { caller.deliver(.usageLimits($0)) } ?? .proceed
  }
}

/// The limits of a turn. A turn that exceeds one fails with ``ChappieClientError/limitExceeded(_:)``.
package enum TurnLimits {
  /// The answer's text in bytes, in all rounds of tool calls. No model writes as much in one answer.
  package static let answerBytes = 4 << 20
  /// The answer's items in bytes of the backend's JSON, in all rounds.
  package static let itemBytes = 8 << 20
  /// The number of the answer's items, in all rounds.
  package static let items = 1024
  /// The bytes that the backend sends for one answer, with everything around the text. The longest answer of a model
  /// takes a tenth of it.
  package static let streamBytes = 256 << 20
  /// The time of one answer, from its first byte to its last.
  package static let streamTime = Duration.seconds(3600)
  /// The number of tool calls of one answer.
  package static let calls = 128
  /// The size of one request in bytes: the conversation with its images, the instructions and the tools. Files are
  /// counted by themselves: ``ChappieInputFile/totalLimit``.
  package static let requestBytes = 16 << 20
  /// The number of messages, tool calls and tool results of one conversation.
  package static let conversationItems = 16 << 10
}
