// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// Notices that a package manager has replaced or removed the program of this process.
@GLibActor
final class ProgramReplacement {
  /// A package manager replaces several files, and an installer removes a file before it writes the new one. The first
  /// call, for which the service was started, does not wait for the monitor either.
  private static let settlingTime = Duration.seconds(1)

  private let program: ProgramFile
  private var monitor: FileMonitor?
  private var check: Timer?
  private var action: (@GLibActor () async -> Void)?

  /// Starts watching after a second. Nil if the system does not tell which file the program is.
  ///
  /// - Parameter action: called once, after the replacement.
  init?(_ action: @escaping @GLibActor () async -> Void) {
    guard let program = ProgramFile() else { return nil }
    self.program = program
    self.action = action
    check = Timer(after: Self.settlingTime) { [weak self] in self?.watch() }
  }

  private func watch() {
    do {
      monitor = try FileMonitor(program.path) { [weak self] in self?.settle() }
    } catch {
      Log.notice("An upgrade of chappied will not be noticed: \(error as? GLibError ?? .timedOut).")
    }
    look()
  }

  private func settle() {
    check = Timer(after: Self.settlingTime) { [weak self] in self?.look() }
  }

  private func look() {
    guard program.isReplaced, let action = action.take() else { return }
    monitor = nil
    Task.onGLib { await action() }
  }

  /// Stops watching.
  func cancel() {
    action = nil
    monitor = nil
    check = nil
  }
}
