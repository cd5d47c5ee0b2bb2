import CGLib
import Glibc

/// Keeps what was freed from staying readable.
public enum MemoryHygiene {
  /// Has every freed block overwritten, and the core of a crash left out.
  ///
  /// Secrets live in guarded memory of their own, but libraries copy what they send and receive: a header line, an
  /// encrypted block, a part of an answer. Call it first in `main`, before GLib allocates.
  public static func enable() {
    // glibc fills blocks with it when they are freed.
    chappie_perturb_freed_memory()
    // GLib's own allocator would keep freed blocks from glibc.
    setenv("G_SLICE", "always-malloc", 1)
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(UInt32(RLIMIT_CORE.rawValue)), &none)
  }

  /// Gives memory that is free back to the kernel.
  public static func trim() {
    malloc_trim(0)
  }
}
