import CPlatform
import Glibc

/// Keeps what is no longer needed from staying readable.
///
/// Secrets live in guarded memory of their own, but libraries copy what they send and receive: a header line, an
/// encrypted block, a part of an answer. What the heap gets back is overwritten by `CWipingHeap`, in programs that
/// link it.
public enum MemoryHardening {
  /// Makes the heap one that can be wiped, leaves out the core of a crash, and closes this process's memory, environment
  /// and descriptors to other programs of its user. Call it first in `main`, before GLib allocates.
  ///
  /// Who tells a sandboxed caller by its root directory, as portals do, cannot look into such a process, and refuses
  /// it: call a portal from another one.
  public static func enable() {
    // GLib's own allocator would keep freed blocks from being given back.
    setenv("G_SLICE", "always-malloc", 1)
    // One heap for all threads: what one has freed another one uses, and the whole stays small.
    chappie_use_one_heap()
    // What is large goes back to the system when it is freed; without this glibc keeps more and more of it.
    chappie_map_large_blocks()
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    chappie_forbid_dumping()
    setrlimit(__rlimit_resource_t(UInt32(RLIMIT_CORE.rawValue)), &none)
  }

  /// Gives the system back what the heap holds and nobody uses. It takes milliseconds.
  public static func trimHeap() { chappie_trim_heap() }

  /// Overwrites what functions that have returned left on the stack of this thread.
  public static func wipeStack() { chappie_wipe_stack() }
}
