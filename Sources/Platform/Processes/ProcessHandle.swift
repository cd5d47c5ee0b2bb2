import CPlatform
import Glibc

/// A reference to a process, by a pidfd. It never refers to another process, even after the process ID was reused.
public final class ProcessHandle: Sendable {
  package let descriptor: Descriptor

  /// - Parameter descriptor: a pidfd.
  package init(_ descriptor: Descriptor) {
    self.descriptor = descriptor
  }

  /// Opens the process that has this ID now. Nil, with the reason in `errno`, when that fails.
  package convenience init?(_ processID: Int32) {
    guard let descriptor = Descriptor(owning: pidfd_open(processID, 0)) else { return nil }
    self.init(descriptor)
  }

  /// The process ID, as the kernel knows it; nil when the process has ended, or when the descriptor is not a pidfd.
  package var processID: Int32? {
    let facts = try? Files.read("/proc/self/fdinfo/\(descriptor.number)", limit: 4096)
    let line = facts?.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: "Pid:".utf8) }
    let text = String(decoding: line?.dropFirst(4).drop { $0 == UInt8(ascii: "\t") } ?? [], as: UTF8.self)
    return Int32(text).flatMap { $0 > 0 ? $0 : nil }
  }

  /// Whether the process still runs. Signal 0 through the pidfd reaches this process only, never one that reuses its
  /// ID.
  public var isRunning: Bool {
    pidfd_send_signal(descriptor.number, 0, nil, 0) == 0 || errno == EPERM
  }
}
