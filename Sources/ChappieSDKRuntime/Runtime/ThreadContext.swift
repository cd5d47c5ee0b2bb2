// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

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
