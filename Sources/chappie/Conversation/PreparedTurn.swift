import GLibBridge

/// A turn that is opened before there is a question, so that the service prepares it while the user types.
@GLibActor
final class PreparedTurn {
  private var opening: Task<OpenedTurn, any Error>?

  /// Opens a turn, in place of one that was not used.
  func open(_ open: @escaping @GLibActor () async throws -> OpenedTurn) {
    opening?.cancel()
    opening = Task.onGLib { try await open() }
  }

  /// The turn, once; nil if it could not be opened, or if the service has ended it: it waits ten minutes for a question.
  func take() async -> OpenedTurn? {
    guard let opening else { return nil }
    self.opening = nil
    let turn = await withTaskCancellationHandler {
      try? await opening.value
    } onCancel: {
      opening.cancel()
    }
    return turn?.isOpen == true ? turn : nil
  }
}
