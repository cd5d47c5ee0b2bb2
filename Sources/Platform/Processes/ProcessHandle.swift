import CPlatform
import Glibc

/// A process, held by a pidfd: its number may pass to another process, and this stays with the first.
public final class ProcessHandle: Sendable {
  package let descriptor: Descriptor

  /// Nil, with the reason in `errno`, when `descriptor` is what a failed call returned.
  package init?(owning descriptor: Int32) {
    guard let descriptor = Descriptor(owning: descriptor) else { return nil }
    self.descriptor = descriptor
  }

  /// Opens the process that has this number now; nil, with the reason in `errno`, where that cannot be.
  package convenience init?(_ processID: Int32) {
    self.init(owning: pidfd_open(processID, 0))
  }

  /// Whether the process still runs: signal 0 through the pidfd reaches this process and no successor.
  public var isRunning: Bool {
    pidfd_send_signal(descriptor.number, 0, nil, 0) == 0 || errno == EPERM
  }
}
