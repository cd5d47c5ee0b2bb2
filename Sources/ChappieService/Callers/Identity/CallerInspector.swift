// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// Determines the identities of callers.
@GLibActor
final class CallerInspector {
  /// The result of an inspection.
  struct Finding: Sendable {
    let identity: CallerIdentity
    let application: Application
    /// Whether it is a program outside of sandboxes that a person has started at a terminal, and waits for.
    var isAtTerminal = false

    static func unknownForNow(_ reason: String) -> Finding {
      Finding(identity: .unknownForNow(reason: reason), application: .uninspectable)
    }
  }

  /// The time limit for a file system that the caller may control.
  private static let deadline = Duration.seconds(5)
  /// The number of inspections at a time. Each takes a few file descriptors.
  private static let limit = 16
  /// The number of inspections at a time that could block. Other inspections never wait for them.
  private static let blockingLimit = 8

  private let connection: BusConnection
  private let semaphore = Semaphore(CallerInspector.limit)
  private let blockingSemaphore = Semaphore(CallerInspector.blockingLimit)

  init(connection: BusConnection) {
    self.connection = connection
  }

  /// Inspects the owner of a unique name. A failed inspection makes the caller uninspectable.
  func inspect(_ name: String) async -> Finding {
    do {
      let finding = try await finding(name)
      Log.debug("\(name: name) is \(finding.application).")
      return finding
    } catch let error as Unidentified {
      Log.debug("\(name: name) cannot be identified: it \(reason: error.reason).")
      return error.isForNow
        ? .unknownForNow(error.reason)
        : Finding(identity: .uninspectable(reason: error.reason), application: .uninspectable)
    } catch {
      return .unknownForNow("has left the bus, or is of a process that the bus does not tell")
    }
  }

  private func finding(_ name: String) async throws -> Finding {
    switch try await semaphore.withPermit({ try await self.subject(name) }) {
    case .known(let finding): return finding
    case .blocking(let files, let label):
      let finding = await blockingSemaphore.withPermit {
        await offActor(deadline: Self.deadline) { Finding.found(files, label: label) }
      }
      guard let finding else { throw Unidentified("has a root directory that does not answer", isForNow: true) }
      return try finding.get()
    }
  }

  private enum Subject: Sendable {
    case known(Finding)
    /// The process has its own user namespace, where any program can give it a root directory that blocks.
    case blocking(ProcDirectory, label: String?)
  }

  private func subject(_ name: String) async throws -> Subject {
    let peer = try await connection.peer(name)
    guard peer.userID == CurrentProcess.userID else { throw Unidentified("runs as another user") }
    let label = peer.securityLabel
    let (files, sharesUserNamespace) = try open(peer)
    return sharesUserNamespace
      ? .known(try Finding.found(files, label: label).get()) : .blocking(files, label: label)
  }

  private func open(_ peer: BusPeer) throws(Unidentified) -> (ProcDirectory, sharesUserNamespace: Bool) {
    do throws(FileError) {
      let files = try ProcDirectory(peer.processID, peer.handle)
      return (files, try files.userNamespace() == ProcDirectory.own().userNamespace())
    } catch {
      throw Unidentified(error)
    }
  }
}

extension CallerInspector.Finding {
  /// Inspects a process. It may block.
  static func found(_ files: ProcDirectory, label: String?) -> Result<Self, Unidentified> {
    Result { () throws(Unidentified) in try Self(CallerEvidence(files, label: label), files) }
  }

  /// - Throws: ``Unidentified``.
  init(_ evidence: CallerEvidence, _ files: ProcDirectory) throws(Unidentified) {
    identity = try CallerIdentity(evidence)
    switch identity {
    case .sandboxed(let app):
      application = .sandboxed(app)
    case .unsandboxed:
      do throws(FileError) {
        let status = try files.status()
        application = .process(Application.Process(id: files.processID, startTime: status.startTime))
        isAtTerminal = status.isInForeground
      } catch {
        throw Unidentified(error)
      }
    case .uninspectable, .unknownForNow:
      application = .uninspectable
    }
  }
}
