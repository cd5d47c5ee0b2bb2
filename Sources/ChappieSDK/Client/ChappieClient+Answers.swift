// SPDX-License-Identifier: Apache-2.0
import GLibBridge

extension ChappieClient {
  // MARK: Whole answers

  /// Sends a user message. The message and the answer are appended to the transcript.
  ///
  /// - Parameters:
  ///   - text: the message, which must not be empty.
  ///   - options: the options of the answer.
  /// - Returns: the text of the whole answer.
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  public func send(_ text: String, options: ChappieMessageOptions = ChappieMessageOptions()) async throws -> String {
    try await send(.user(text, options: options))
  }

  /// Sends a message. The message and the answer are appended to the transcript.
  ///
  /// - Parameter message: the message, whose text must not be empty.
  /// - Returns: the text of the whole answer.
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  public func send(_ message: ChappieInputMessage) async throws -> String {
    try await whole(.next(message)).outputText
  }

  /// Answers a transcript that the caller composed. The transcript and the answer replace this client's transcript.
  ///
  /// - Parameter request: the transcript, whose last message must have a text, and the options of the turn.
  /// - Returns: the whole answer.
  /// - Throws: ``ChappieClientError``, `CancellationError`.
  public func response(_ request: ChappieResponseRequest) async throws -> ChappieResponse {
    try await whole(.replay(request))
  }

  @GLibActor
  func whole(_ turn: TurnInput) async throws -> ChappieResponse {
    try await run(turn, for: caller { _ in .proceed })
  }

  /// The caller that stands for the program itself, with the tools that it gave this client.
  @GLibActor
  package func caller(
    _ deliver: @escaping @GLibActor (ChappieStreamEvent) -> FlowControl
  ) -> TurnCaller {
    TurnCaller(interaction: .forbidden, tools: tools, deliver: deliver)
  }

  // MARK: Streams

  /// Sends a user message as ``send(_:options:)`` does, and streams the answer. Releasing the stream cancels the turn.
  ///
  /// - Parameters:
  ///   - text: the message, which must not be empty.
  ///   - options: the options of the answer.
  /// - Returns: the events of the turn, ``ChappieStreamEvent/completed(_:)`` last. If the turn fails, the stream throws
  ///   ``ChappieClientError``; if the task that reads it is cancelled, `CancellationError`. The turn does not wait for the
  ///   reader: events that are not read yet take memory.
  public func stream(
    _ text: String, options: ChappieMessageOptions = ChappieMessageOptions()
  ) -> AsyncThrowingStream<ChappieStreamEvent, any Error> {
    stream(.user(text, options: options))
  }

  /// Sends a message and streams the answer. Releasing the stream cancels the turn.
  ///
  /// - Parameter message: the message, whose text must not be empty.
  /// - Returns: as ``stream(_:options:)``.
  public func stream(_ message: ChappieInputMessage) -> AsyncThrowingStream<ChappieStreamEvent, any Error> {
    stream(.next(message))
  }

  /// Same as ``response(_:)``, but streams the answer. Releasing the stream cancels the turn.
  ///
  /// - Parameter request: the transcript, whose last message must have a text, and the options of the turn.
  /// - Returns: as ``stream(_:options:)``.
  public func streamResponse(_ request: ChappieResponseRequest) -> AsyncThrowingStream<ChappieStreamEvent, any Error> {
    stream(.replay(request))
  }

  private func stream(_ turn: TurnInput) -> AsyncThrowingStream<ChappieStreamEvent, any Error> {
    events { try await self.run(turn, for: $0) }
  }

  /// The events of the turn that `run` runs. Releasing the stream cancels the turn. A stream whose reader is cancelled
  /// ends with `CancellationError`.
  package func events(
    of run: @escaping @GLibActor @Sendable (TurnCaller) async throws -> ChappieResponse
  ) -> AsyncThrowingStream<ChappieStreamEvent, any Error> {
    AsyncThrowingStream { continuation in
      let task = Task.onGLib {
        do {
          let caller = caller { event in
            continuation.yield(event)
            return .proceed
          }
          let response = try await run(caller)
          continuation.yield(.completed(response))
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { end in
        task.cancel()
        // The stream would end without an error, like one whose answer is complete.
        if case .cancelled = end { continuation.finish(throwing: CancellationError()) }
      }
    }
  }
}
