import Glibc

/// This process.
public enum CurrentProcess {
  /// The id of the user that runs it.
  public static var userID: UInt32 { getuid() }

  /// Whether it may do what root may.
  public static var isRoot: Bool { geteuid() == 0 }

  /// The value of a variable of its environment; nil when that is unset or empty.
  public static func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  /// Raises the limit of open files, sockets and pipes to `count`, or to the hard limit where that is lower.
  ///
  /// Programs that call `select(2)` break above 1024, which is why the limit begins so low; GLib and what is built on it
  /// do not call it.
  public static func raiseOpenFileLimit(to count: UInt) {
    let resource = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < count else { return }
    limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
    setrlimit(resource, &limit)
  }
}
