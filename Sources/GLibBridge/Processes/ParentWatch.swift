import CGLib
import Glibc

/// Calls an action once, when the process has ended that started this one. It stops when it is let go.
@GLibActor
public final class ParentWatch {
  private let parent: Descriptor
  private var source: AttachedSource?

  /// Nil where that cannot be followed, or has ended already.
  public init?(_ action: @escaping @GLibActor () -> Void) {
    let number = getppid()
    guard number > 1, let parent = Descriptor(owning: pidfd_open(number, 0)), getppid() == number else { return nil }
    self.parent = parent
    let callback: GUnixFDSourceFunc = { _, _, data in
      AttachedSource.act(data)
      return sourceRemove
    }
    // GLib asks for every kind of callback in the shape of the plainest one.
    source = AttachedSource(
      owning: g_unix_fd_source_new(parent.number, G_IO_IN), unsafeBitCast(callback, to: GSourceFunc.self), action)
  }

  /// Stops watching.
  public func cancel() {
    _ = source.take()
  }

  isolated deinit {
    cancel()
  }
}

extension StandardStream {
  /// Whether this is a pipe that no program has as its standard input: nobody reads it but who made it, whatever other
  /// programs were left with an end of it.
  public var feedsMakerAlone: Bool {
    guard let pipe = Self.target(of: "/proc/self/fd/\(rawValue)"), pipe.hasPrefix("pipe:"),
      let processes = try? Files.names(in: "/proc")
    else { return false }
    return !processes.contains { Int32($0) != nil && Self.target(of: "/proc/\($0)/fd/0") == pipe }
  }

  private static func target(of link: String) -> String? {
    guard let target = g_file_read_link(link, nil) else { return nil }
    defer { g_free(target) }
    return String(cString: target)
  }
}
