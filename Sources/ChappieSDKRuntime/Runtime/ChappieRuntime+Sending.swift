import ChappieSDK
import GLibBridge

/// Turns as a program asks for them.
extension ChappieRuntime {
  /// Sends a user message and returns the answer's text, once the turn is kept.
  ///
  /// - Throws: as ``send(_:)-(ChappieInputMessage)``.
  public func send(_ text: String) async throws -> String {
    try await send(.user(text))
  }

  /// Sends a message and returns the answer's text, once the turn is kept.
  ///
  /// A turn that fails is kept as well, with its error.
  ///
  /// - Throws: ``ChappieClientError`` when there is no answer, ``ChappieRuntimeError`` when there is one that could not
  ///   be kept, ``ChappieThreadStoreError`` when the thread could not be begun and nothing was asked,
  ///   `CancellationError`.
  public func send(_ message: ChappieInputMessage) async throws -> String {
    try await run(message, for: client.caller { _ in .proceed }).outputText
  }

  /// Sends a user message; the answer comes in pieces.
  public nonisolated func stream(_ text: String) -> AsyncThrowingStream<ChappieStreamEvent, any Error> {
    stream(.user(text))
  }

  /// Sends a message; the answer comes in pieces. ``ChappieStreamEvent/completed(_:)`` comes once the turn is kept.
  /// Letting go of the stream cancels the turn, which is kept as cancelled.
  public nonisolated func stream(_ message: ChappieInputMessage)
    -> AsyncThrowingStream<ChappieStreamEvent, any Error>
  {
    client.events { try await self.run(message, for: $0) }
  }
}
