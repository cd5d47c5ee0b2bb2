import Glibc

/// How many files, sockets and pipes this process may have open.
public enum OpenFiles {
  private static let resource = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))

  /// Raises the soft limit to `count`, or to the hard limit where that is lower. Programs that call `select(2)` break
  /// above 1024, which is why the soft limit begins so low; GLib and what is built on it do not call it.
  public static func raiseLimit(to count: UInt) {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < count else { return }
    limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
    setrlimit(resource, &limit)
  }
}
