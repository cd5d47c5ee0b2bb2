// SPDX-License-Identifier: Apache-2.0
import CPlatform
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

  /// From now on a process whose parent ends becomes a child of this one, if it descends from it.
  public static func adoptOrphans() { chappie_adopt_orphans() }

  /// From now on this process and its children have a session keyring of the kernel of their own, with nothing in it.
  public static func leaveSessionKeyring() { chappie_leave_session_keyring() }

  /// Gives this thread the signal mask of the main thread. The threads of Swift's pool block nearly all signals, and what
  /// they start inherits that: a program would miss SIGTERM.
  public static func useSignalMaskOfMainThread() {
    let status = String(decoding: (try? Files.read("/proc/self/status", limit: 1 << 16)) ?? [], as: UTF8.self)
    guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("SigBlk:") }),
      let blocked = UInt64(line.suffix(16), radix: 16)
    else { return }
    var mask = sigset_t()
    sigemptyset(&mask)
    for signal in Int32(1)...64 where blocked >> (signal &- 1) & 1 == 1 { sigaddset(&mask, signal) }
    pthread_sigmask(SIG_SETMASK, &mask, nil)
  }

  /// Kills the children of this process, and those that they leave. It waits for each.
  public static func killChildren() {
    // A child may start another one until it is dead.
    for _ in 0..<1000 {
      let children = (try? Files.read("/proc/self/task/\(getpid())/children", limit: 1 << 16)) ?? []
      let numbers = String(decoding: children, as: UTF8.self).split(separator: " ").compactMap { pid_t($0) }
      guard !numbers.isEmpty else { return }
      for number in numbers { kill(number, SIGKILL) }
      for number in numbers { waitpid(number, nil, 0) }
    }
  }
}

/// Protects the memory of a program that handles secrets.
///
/// Secrets live in guarded memory. Libraries, however, copy the data that they send and receive: a header field, an
/// encrypted block, a part of a response. In programs that link `CWipingHeap`, freed heap blocks are overwritten.
public enum MemoryHardening {
  /// Prepares the heap for wiping, disables core dumps, and denies other programs of the same user access to this
  /// process's memory, environment and descriptors. Call it first in `main`, before GLib allocates memory.
  ///
  /// A service that inspects its caller's root directory, as the desktop portals do, cannot inspect this process and
  /// refuses its calls. Call a portal from another process.
  public static func enable() {
    // GLib's slice allocator would keep freed blocks instead of returning them to the heap.
    setenv("G_SLICE", "always-malloc", 1)
    // All threads share one heap, so that memory which one thread freed is reused by the others.
    chappie_use_one_heap()
    // Large blocks are mapped, and so returned to the system when freed. By default glibc raises this threshold as a
    // program runs.
    chappie_map_large_blocks()
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    chappie_forbid_dumping()
    setrlimit(__rlimit_resource_t(UInt32(RLIMIT_CORE.rawValue)), &none)
  }

  /// Returns unused heap memory to the system. This takes milliseconds.
  public static func trimHeap() { chappie_trim_heap() }

  /// Overwrites the unused part of this thread's stack, which may hold data of functions that have returned.
  public static func wipeStack() { chappie_wipe_stack() }
}
