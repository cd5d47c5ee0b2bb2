import GLibBridge

/// A conversation with the model, on the user's own plan.
///
/// A client owns one transcript. Turns that are part of it run one after the other.
public final class ChappieClient: Sendable {
  /// The model that answers when none is chosen.
  public static let defaultModel = "gpt-5.5"

  public let configuration: ChappieConfiguration
  private let conversation: Conversation

  init(configuration: ChappieConfiguration) {
    self.configuration = configuration
    conversation = Conversation(configuration: configuration)
  }

  // MARK: Whole answers

  /// Appends a user message to the transcript and returns the answer's text.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  public func send(_ text: String) async throws -> String {
    try await send(.user(text))
  }

  /// Appends `message` to the transcript and returns the answer's text.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  public func send(_ message: ChappieInputMessage) async throws -> String {
    try await whole(.next(message)).outputText
  }

  /// Answers a transcript that the caller composed. It and the answer become this client's transcript.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  public func response(_ request: ChappieResponseRequest) async throws -> ChappieResponse {
    try await whole(.replay(request))
  }

  @GLibActor
  private func whole(_ turn: Turn) async throws -> ChappieResponse {
    try await run(turn, for: TurnCaller(interaction: .forbidden) { _ in .more })
  }

  // MARK: Streams

  /// Appends a user message to the transcript; the answer comes in pieces. Letting go of the stream cancels it.
  public func stream(_ text: String) -> AsyncThrowingStream<ChappieStreamEvent, any Error> {
    stream(.user(text))
  }

  /// Appends `message` to the transcript; the answer comes in pieces. Letting go of the stream cancels it.
  public func stream(_ message: ChappieInputMessage) -> AsyncThrowingStream<ChappieStreamEvent, any Error> {
    stream(.next(message))
  }

  /// As ``response(_:)``, in pieces. Letting go of the stream cancels it.
  public func streamResponse(_ request: ChappieResponseRequest) -> AsyncThrowingStream<ChappieStreamEvent, any Error> {
    stream(.replay(request))
  }

  private func stream(_ turn: Turn) -> AsyncThrowingStream<ChappieStreamEvent, any Error> {
    AsyncThrowingStream { continuation in
      let task = Task.onGLib {
        do {
          let caller = TurnCaller(interaction: .forbidden) { event in
            continuation.yield(event)
            return .more
          }
          let response = try await run(turn, for: caller)
          continuation.yield(.completed(response))
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  // MARK: Turns

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
    /// Gets what happens as it comes off the socket, all but the end, and says when to go on.
    let deliver: @GLibActor (ChappieStreamEvent) -> HTTPResponse.Verdict

    package init(
      interaction: SecretServiceClient.Interaction,
      deliver: @escaping @GLibActor (ChappieStreamEvent) -> HTTPResponse.Verdict
    ) {
      self.interaction = interaction
      self.deliver = deliver
    }
  }

  /// Runs a turn.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  @GLibActor
  package func run(_ turn: Turn, for caller: TurnCaller) async throws -> ChappieResponse {
    try await conversation.run(turn, for: caller)
  }
}
