import GLibBridge

extension ChappieClient {
  /// One turn to run.
  package enum Turn: Sendable {
    /// The next message of the transcript.
    case next(ChappieInputMessage)
    /// A transcript of the caller's own, which replaces this client's.
    case replay(ChappieResponseRequest)
    /// A transcript of the caller's own, which this client neither keeps nor waits for.
    case alone(ChappieResponseRequest)
  }

  /// Who a turn runs for.
  package struct TurnCaller {
    /// Whether a keyring that is locked may ask the user for its password.
    let interaction: SecretServiceClient.Interaction
    let tools: ToolSet
    /// Gets what happens as it comes off the socket, all but the end, and says when to go on.
    private(set) var deliver: @GLibActor (ChappieStreamEvent) -> HTTPResponse.Verdict
    /// Gets how many bytes the turn holds in memory, and throws when there is no room for so much.
    let hold: TurnSize.Hold
    /// Gets what a record of the turn needs.
    private(set) var record: @GLibActor (TurnRecord) -> Void = { _ in }

    package init(
      interaction: SecretServiceClient.Interaction,
      tools: ToolSet = ToolSet(),
      hold: @escaping @GLibActor (Int) throws(ChappieClientError) -> Void = { (_) throws(ChappieClientError) in },
      deliver: @escaping @GLibActor (ChappieStreamEvent) -> HTTPResponse.Verdict
    ) {
      self.interaction = interaction
      self.tools = tools
      self.hold = hold
      self.deliver = deliver
    }

    /// The same caller, with somebody who takes down what happens.
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
}
