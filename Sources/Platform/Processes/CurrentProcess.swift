import Glibc

/// The process that this code runs in.
public enum CurrentProcess {
  /// The real user ID.
  public static var userID: UInt32 { getuid() }

  /// Whether the effective user is root.
  public static var isRoot: Bool { geteuid() == 0 }

  /// The value of an environment variable; nil when the variable is unset or empty.
  public static func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  /// Raises the soft limit of open descriptors to `count`, or to the hard limit when that is lower. Never lowers it.
  ///
  /// The soft limit starts at 1024 because `select(2)` cannot handle higher descriptors. GLib and the libraries on top
  /// of it do not call `select`.
  public static func raiseOpenFileLimit(to count: UInt) {
    let resource = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < count else { return }
    limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
    setrlimit(resource, &limit)
  }
}
