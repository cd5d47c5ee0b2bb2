import CGLib
import Glibc
import Platform

/// Calls an action once, when the parent process ends. Releasing the watch stops it.
@GLibActor
public final class ParentWatch {
  private let parent: ProcessHandle
  private var source: AttachedSource?

  /// Nil when the parent process cannot be watched or has already ended.
  public init?(_ action: @escaping @GLibActor () -> Void) {
    let number = getppid()
    guard number > 1, let parent = ProcessHandle(number), getppid() == number else { return nil }
    self.parent = parent
    source = AttachedSource(watching: parent.descriptor.number, for: G_IO_IN, action)
  }

  /// Stops watching.
  public func cancel() {
    _ = source.take()
  }

  isolated deinit {
    cancel()
  }
}
