import ChappieSDK
import GLibBridge

/// Sending messages, with the answer as a whole or as a stream.
extension ChappieRuntime {
  /// Sends a user message, stores the turn, and returns the text of the answer.
  ///
  /// - Throws: as ``send(_:)-(ChappieInputMessage)``.
  public func send(_ text: String) async throws -> String {
    try await send(.user(text))
  }

  /// Sends a message, stores the turn, and returns the text of the answer.
  ///
  /// A turn that fails is stored as well, with its error.
  ///
  /// - Throws: ``ChappieClientError`` if there is no answer; ``ChappieRuntimeError`` if the answer could not be stored;
  ///   ``ChappieThreadStoreError`` if the thread could not be opened, in which case nothing was sent;
  ///   `CancellationError`.
  public func send(_ message: ChappieInputMessage) async throws -> String {
    try await run(message, for: client.caller { _ in .proceed }).outputText
  }

  /// Sends a user message and streams the answer, as ``stream(_:)-(ChappieInputMessage)``.
  public nonisolated func stream(_ text: String) -> AsyncThrowingStream<ChappieStreamEvent, any Error> {
    stream(.user(text))
  }

  /// Sends a message and streams the answer. ``ChappieStreamEvent/completed(_:)`` comes after the turn was stored.
  ///
  /// If the caller drops the stream, the turn is cancelled and stored as cancelled. The stream fails with the errors of
  /// ``send(_:)-(ChappieInputMessage)``.
  public nonisolated func stream(_ message: ChappieInputMessage)
    -> AsyncThrowingStream<ChappieStreamEvent, any Error>
  {
    client.events { try await self.run(message, for: $0) }
  }
}
