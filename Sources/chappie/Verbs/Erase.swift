// SPDX-License-Identifier: Apache-2.0
import ChappieMCP
import GLibBridge
import Platform

extension Verb {
  /// `chappie erase`: signs out and removes everything that Chappie keeps.
  static let erase = Verb(
    "erase", tr("Sign out, and remove everything that is stored"),
    details: tr(
      """
      Signs out every account of every program, as sign-out does, deletes every thread, the key of this device, the \
      configuration with the templates and every other file, and the secrets of MCP servers, and ends the service. Run \
      it before the package is removed.
      """),
    asks
  ) { asks in Work(run: { try await Erasing.run($0, asks: asks) }) }
}

/// The removal of everything that Chappie keeps.
@GLibActor
private enum Erasing {
  static func run(_ service: Result<ServiceConnection, CommandFailure>, asks: Bool) async throws -> ExitStatus {
    let question =
      tr(
        """
        Sign out every account, and delete every thread, every template, every secret of an MCP server, the \
        configuration and all files of Chappie, for good?
        """)
    if asks { try await Confirmation.ask(question, refused: tr("Nothing was erased.")) }
    let parts: [ErasedPart]
    do {
      parts = try await secrets(service.get())
    } catch {
      let failure = CommandFailure(error)
      // Another try can erase the secrets too, for example once the keyring is unlocked or answers again.
      if case .success(let connection) = service, await !isHopeless(failure, connection.connection) {
        throw failure.with(tr("Nothing was erased. \(failure.message)"))
      }
      CommandFailure.report(tr("What is in the keyring stays there. \(failure.message)"))
      return removeFiles(keepsState: true) ?? failure.status
    }
    for part in parts { part.report() }
    let toolSecrets = await removeToolSecrets()
    let isSignedIn = parts.contains { $0.isStored }
    let status = ErasedPart.status(of: parts)
    return removeFiles(keepsState: isSignedIn) ?? (isSignedIn ? status : toolSecrets) ?? status
  }

  /// Removes the secrets of MCP servers.
  ///
  /// - Returns: the exit status of a failure.
  private static func removeToolSecrets() async -> ExitStatus? {
    let count: Int
    do {
      count = try await ToolSecrets(interaction: .allowed).remove(nil)
    } catch {
      let failure = CommandFailure(error)
      CommandFailure.report(tr("The secrets of MCP servers stay in the keyring. \(failure.message)"))
      return failure.status
    }
    guard count > 0 else { return nil }
    StandardStream.output.line(
      tr(
        count, one: "Removed \(count) secret of an MCP server from the keyring.",
        other: "Removed \(count) secrets of MCP servers from the keyring."))
    return nil
  }

  /// The files, but not the key of this device while the keyring has a credential: only with the key can it be signed
  /// out later.
  ///
  /// - Returns: the exit status of a failure.
  private static func removeFiles(keepsState: Bool) -> ExitStatus? {
    var status: ExitStatus?
    let state = Directories.state
    for directory in [Directories.configuration, Directories.data, Directories.cache, Directories.runtime, state] {
      let path = directory + "/chappie"
      if keepsState, directory == state {
        CommandFailure.report(
          tr("\(shown(path)) was kept: without it the sign-in in the keyring could not be ended at the server."))
        continue
      }
      do {
        if try Files.removeTree(path) { StandardStream.output.line(tr("Removed \(shown(path)).")) }
      } catch {
        CommandFailure.report(tr("\(shown(path)) could not be removed: \(error)."))
        status = .failed
      }
    }
    return status
  }

  private static func shown(_ path: String) -> String {
    for (directory, name) in [(Directories.runtime, "$XDG_RUNTIME_DIR"), (Directories.home, "~")]
    where path.hasPrefix(directory + "/") {
      return name + path.dropFirst(directory.count)
    }
    return path
  }

  // MARK: The keyring

  /// What became of the secrets in the keyring. When it throws, nothing was removed from the keyring.
  private static func secrets(_ connection: ServiceConnection) async throws -> [ErasedPart] {
    let end = Wait()
    _ = try await connection.properties(ServiceConnection.root, "Manager")
    // No timeout: the keyring may ask for its password first, and the server is told of each sign-in.
    let reply = try await Spinner.show(tr("Signing out…")) {
      try await connection.manager("Erase", .tuple([:] as VariantDictionary), timeout: nil)
    }
    let watch = connection.connection.watchName(ServiceConnection.name) { if $0 == nil { end.finish() } }
    defer { withExtendedLifetime(watch) {} }
    let parts = try reply.member(0, "erased", as: [VariantDictionary].self).map(ErasedPart.init)
    // It could write a file again until it has ended.
    try? await withDeadline(.seconds(10)) { await end.valueOrCancelled() }
    return parts
  }

  /// Whether no other try can reach the secrets: there is no service, or no keyring.
  private static func isHopeless(_ failure: CommandFailure, _ bus: BusConnection) async -> Bool {
    switch failure.status {
    case .serviceMissing: await !bus.knows([ServiceConnection.name])
    case .keyringNeeded: await KeyringView(bus).state == .absent
    default: false
    }
  }
}

/// A secret of the keyring, as `Manager.Erase` and `SignOutApplication` return it.
struct ErasedPart {
  private let isKey: Bool
  private let owner: String
  private let errorName: String?
  private let message: String

  init(_ values: VariantDictionary) throws {
    isKey = try values.value("kind") == "thread-key"
    var owner = tr("“\(try values.value("account") ?? "")”")
    if let app: String = try values.value("app") { owner = tr("\(owner) of \(app)") }
    if let group: String = try values.value("access_group") { owner = tr("\(owner) in the group \(group)") }
    self.owner = owner.terminalSafeLine
    errorName = try values.value("error")
    message = Translation.of(try values.value("message") ?? "")
  }

  var status: ExitStatus { errorName.map(ExitStatus.init(errorName:)) ?? .success }

  /// Whether it is a credential that is still in the keyring.
  var isStored: Bool { !isKey && status != .success && status != .notRevoked }

  /// The exit status for all of them: a secret that is still stored counts most.
  static func status(of parts: [ErasedPart]) -> ExitStatus {
    parts.first { $0.isStored }?.status ?? parts.first { $0.status != .success }?.status ?? .success
  }

  /// Says what became of it.
  func report() {
    switch (isKey, status) {
    case (true, .success): StandardStream.output.line(tr("Deleted the threads of \(owner)."))
    case (false, .success): StandardStream.output.line(tr("Signed out \(owner)."))
    case (true, _): CommandFailure.report(tr("The key of the threads of \(owner) stays in the keyring. \(message)"))
    case (false, .notRevoked):
      StandardStream.output.line(tr("Signed out \(owner)."))
      CommandFailure.report(message)
    case (false, _): CommandFailure.report(tr("\(owner) is still signed in. \(message)"))
    }
  }
}
