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
    try await run(.next(message)) { _ in .more }.outputText
  }

  /// Answers a transcript that the caller composed. It and the answer become this client's transcript.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  public func response(_ request: ChappieResponseRequest) async throws -> ChappieResponse {
    try await run(.replay(request)) { _ in .more }
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
      let task = Task { @GLibActor in
        do {
          let response = try await run(turn) { text in
            continuation.yield(.textDelta(text))
            return .more
          }
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

  /// Runs a turn. `deliver` gets each piece of the answer as it comes off the socket.
  ///
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  @GLibActor
  package func run(_ turn: Turn, deliver: @escaping DeltaSink) async throws -> ChappieResponse {
    try await conversation.run(turn, deliver: deliver)
  }
}

/// Takes the next piece of an answer and says when to go on.
package typealias DeltaSink = @GLibActor (String) -> HTTPResponse.Verdict
