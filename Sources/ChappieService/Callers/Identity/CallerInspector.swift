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

    static func unidentified(_ reason: Unidentified) -> Finding {
      Finding(identity: .unidentified(reason), application: .uninspectable)
    }
  }

  /// The time limit for a file system that the caller may control.
  private static let deadline = Duration.seconds(5)
  /// The number of inspections at a time. Each takes a few file descriptors.
  private static let limit = 16
  /// The number of inspections at a time that could block. Other inspections never wait for them.
  private static let blockingLimit = 8
  /// The number of inspections that have not ended, also of those that are not waited for any more.
  private static let runningLimit = 24

  let connection: BusConnection
  private let semaphore = Semaphore(CallerInspector.limit)
  private let blockingSemaphore = Semaphore(CallerInspector.blockingLimit)
  /// The connections whose inspection could block and has not ended.
  private var running: Set<String> = []

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
      return .unidentified(error)
    } catch {
      return .unidentified(
        Unidentified("has left the bus, or is of a process that the bus does not tell", isForNow: true))
    }
  }

  private func finding(_ name: String) async throws -> Finding {
    let (files, label, known) = try await semaphore.withPermit { try await self.look(at: name) }
    if let known { return known }
    let finding = await blockingSemaphore.withPermit { () -> Result<Finding, any Error>? in
      guard !running.contains(name), running.count < Self.runningLimit else { return nil }
      running.insert(name)
      let inspection = Task.onGLib {
        defer { running.remove(name) }
        return await onNewThread { Result { try Finding(files, label: label) } }
      }
      return try? await withDeadline(Self.deadline) { await inspection.value }
    }
    guard let finding else { throw Unidentified("has a root directory that does not answer", isForNow: true) }
    return try finding.get()
  }

  /// - Returns: no finding for a process with its own user namespace, where any program can give it a root directory that
  ///   blocks.
  private func look(at name: String) async throws -> (ProcDirectory, label: String?, Finding?) {
    let peer = try await connection.peer(name)
    guard peer.userID == CurrentProcess.userID else { throw Unidentified("runs as another user") }
    let label = peer.securityLabel
    let (files, sharesUserNamespace) = try open(peer)
    return (files, label, sharesUserNamespace ? try Finding(files, label: label) : nil)
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
  ///
  /// - Throws: ``Unidentified``.
  init(_ files: ProcDirectory, label: String?) throws(Unidentified) {
    identity = try CallerIdentity(CallerEvidence(files, label: label))
    switch identity {
    case .sandboxed(let app):
      application = .sandboxed(app)
    case .unsandboxed:
      do throws(FileError) {
        let status = try files.status()
        application = .process(id: files.processID, startTime: status.startTime)
        isAtTerminal = status.isInForeground
      } catch {
        throw Unidentified(error)
      }
    case .unidentified:
      application = .uninspectable
    }
  }
}
