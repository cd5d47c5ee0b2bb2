import GLibBridge

/// The lock that processes take before they change a slot's credential: one file a slot in the runtime directory.
enum SlotFileLock {
  /// Longer than a refresh can take: its holder waits for a server.
  private static let deadline = Duration.seconds(90)

  /// - Throws: ``ChappieAuthError/keyringUnavailable(_:)``, `CancellationError`.
  @GLibActor
  static func take(_ slot: SlotIdentity) async throws -> FileLock {
    let name = slot.fingerprint(purpose: "org.chappie slot lock")
    let directory = Directories.runtime + "/chappie"
    do {
      try Directories.make(directory)
      return try await FileLock.take("\(directory)/\(name).lock", deadline: deadline)
    } catch let error as GLibError {
      throw ChappieAuthError.keyringUnavailable(
        "The stored sign-in is in use by another program, or \(directory) cannot be written (\(error.message)): try again."
      )
    }
  }
}
