import GLibBridge

/// What is asked in a turn.
package enum TurnInput: Sendable {
  /// The next message of the transcript.
  case next(ChappieInputMessage)
  /// A transcript of the caller's own, which replaces the client's.
  case replay(ChappieResponseRequest)
  /// A transcript of the caller's own, which the client neither keeps nor waits for.
  case alone(ChappieResponseRequest)
}

/// The caller that a turn runs for.
package struct TurnCaller {
  /// Whether a keyring that is locked may ask the user for its password.
  let interaction: UserInteraction
  let tools: ToolSet
  /// Holds the answer while it comes.
  package let text: AnswerText
  let trace: TurnTrace
  /// Gets what happens as it comes off the socket, all but the end. The reading goes on as it returns.
  private(set) var deliver: @GLibActor (ChappieStreamEvent) -> FlowControl
  /// Gets how many bytes the turn holds in memory, and throws when there is no room for so much.
  let hold: TurnSize.Hold
  /// Gets what a record of the turn needs.
  private(set) var record: @GLibActor (TurnRecord) -> Void = { _ in }

  package init(
    interaction: UserInteraction,
    tools: ToolSet = ToolSet(),
    text: AnswerText = AnswerText(),
    trace: TurnTrace = TurnTrace(),
    hold: @escaping @GLibActor (Int) throws(ChappieClientError) -> Void = { (_) throws(ChappieClientError) in },
    deliver: @escaping @GLibActor (ChappieStreamEvent) -> FlowControl
  ) {
    self.interaction = interaction
    self.tools = tools
    self.text = text
    self.trace = trace
    self.hold = hold
    self.deliver = deliver
  }

  /// The same caller, with a record of what happens.
  package func recorded(by record: @escaping @GLibActor (TurnRecord) -> Void) -> TurnCaller {
    var caller = self
    caller.record = record
    caller.deliver = { [deliver] event in
      record(.event(event))
      return deliver(event)
    }
    return caller
  }
}

/// What a record of a turn is made of.
package enum TurnRecord {
  case event(ChappieStreamEvent)
  /// What the model made in one round, as it came.
  case items([ChappieJSONValue])
  /// The conversation before was replaced by this text.
  case compaction(summary: String)
}
