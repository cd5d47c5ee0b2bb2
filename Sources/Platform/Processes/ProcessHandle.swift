import CGLib
import Glibc

/// A pidfd, closed with the last reference.
public final class ProcessHandle: Sendable {
  private let descriptor: Int32

  init(owning descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Whether the process still runs: signal 0 through the pidfd reaches this process and no successor.
  public var isRunning: Bool {
    pidfd_send_signal(descriptor, 0, nil, 0) == 0 || errno == EPERM
  }
}
