import ChappieSDK

extension ChappieClientContext {
  /// The context of a client that goes on with `thread`: what was said in the turns that were answered.
  func resuming(_ thread: ChappieThread) -> ChappieClientContext {
    var context = self
    context.threadID = thread.id
    context.messages = []
    context.compactedSummary = nil
    for turn in thread.turns {
      // Where the summary was left out, what it stood for is all there is.
      for case .compaction(let summary) in turn.events
      where !summary.isEmpty && summary != ChappieThreadRedaction.mask {
        context.messages = []
        context.compactedSummary = summary
      }
      // What was redacted may be empty, and the backend takes no empty message.
      if !turn.hasFailed { context.messages += turn.events.compactMap(\.message).filter { !$0.text.isEmpty } }
    }
    return context
  }
}

extension ChappieTurn {
  fileprivate var hasFailed: Bool {
    events.contains { if case .error = $0 { true } else { false } }
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
