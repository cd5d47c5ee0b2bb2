import GLibBridge

/// Finds out who a caller is.
@GLibActor
struct CallerInspector {
  /// How long a file system that a caller's side provides may keep this waiting.
  private static let deadline = Duration.seconds(5)

  let connection: BusConnection

  /// The identity behind a unique name. What cannot be found out makes it uninspectable.
  func identity(of name: String) async -> CallerIdentity {
    do {
      let identity = try await inspect(name)
      Log.debug("\(name) is \(identity).")
      return identity
    } catch let error as Unidentified {
      Log.debug("\(name) cannot be identified: \(error.reason).")
      return .uninspectable(reason: error.reason)
    } catch {
      return .uninspectable(reason: "has left the bus, or is of a process that the bus does not tell")
    }
  }

  private func inspect(_ name: String) async throws -> CallerIdentity {
    let peer = try await connection.peer(name)
    guard peer.userID == UserID.own else { throw Unidentified("runs as another user") }
    let label = peer.securityLabel
    let (files, sharesUserNamespace) = try open(peer)
    // In this service's own user namespace nobody but root can give a process a root directory that blocks.
    if sharesUserNamespace { return try CallerIdentity(CallerEvidence(files, label: label)) }
    let identity = await offActor(deadline: Self.deadline) {
      Result { () throws(Unidentified) in try CallerIdentity(CallerEvidence(files, label: label)) }
    }
    guard let identity else { throw Unidentified("has a root directory that does not answer") }
    return try identity.get()
  }

  private func open(_ peer: BusPeer) throws(Unidentified) -> (ProcessFiles, sharesUserNamespace: Bool) {
    do throws(FileError) {
      let files = try ProcessFiles(peer)
      return (files, try files.userNamespace() == ProcessFiles.own().userNamespace())
    } catch {
      throw Unidentified(CallerEvidence.reason(error))
    }
  }
}
