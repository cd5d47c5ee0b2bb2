import CPlatform
import Glibc

/// A reference to a process, by a pidfd. It never refers to another process, even after the process ID was reused.
public final class ProcessHandle: Sendable {
  package let descriptor: Descriptor

  /// Takes over the pidfd that a call returned. Nil, with the reason in `errno`, when the call failed.
  package init?(owning descriptor: Int32) {
    guard let descriptor = Descriptor(owning: descriptor) else { return nil }
    self.descriptor = descriptor
  }

  /// Opens the process that has this ID now. Nil, with the reason in `errno`, when that fails.
  package convenience init?(_ processID: Int32) {
    self.init(owning: pidfd_open(processID, 0))
  }

  /// Whether the process still runs. Signal 0 through the pidfd reaches this process only, never one that reuses its
  /// ID.
  public var isRunning: Bool {
    pidfd_send_signal(descriptor.number, 0, nil, 0) == 0 || errno == EPERM
  }
}
