// SPDX-License-Identifier: Apache-2.0
import CGLib
import Synchronization

/// The `GMainContext` of ``GLibActor``, and the thread that iterates it.
struct MainContext: @unchecked Sendable {
  /// Whether ``MainLoop/run(_:)`` iterates the default context on the main thread. Otherwise a thread that GLibBridge
  /// starts iterates a context of its own.
  private static let usesMainThread = Atomic(false)

  let pointer: OpaquePointer?
  private let isMainThreads: Bool

  /// Makes the actor use the main thread's default context. Call it before the first use of the actor.
  static func useMainThread() {
    usesMainThread.store(true, ordering: .relaxed)
  }

  /// Whether this program runs ``MainLoop``, as this package's own programs do.
  static var isMainThreads: Bool { usesMainThread.load(ordering: .relaxed) }

  static func chosen() -> MainContext {
    let isMainThreads = isMainThreads
    return MainContext(
      pointer: isMainThreads ? g_main_context_default() : g_main_context_new(), isMainThreads: isMainThreads)
  }

  /// Starts the thread of a context that has its own thread.
  func start() {
    guard !isMainThreads else { return }
    let thread = g_thread_new(
      "chappie-glib",
      { data in
        let context = OpaquePointer(data)
        g_main_context_push_thread_default(context)
        g_main_loop_run(g_main_loop_new(context, 0))
        return nil
      }, UnsafeMutableRawPointer(pointer))
    g_thread_unref(thread)
  }
}

/// The main loop of a program that gives its main thread to ``GLibActor``.
public enum MainLoop {
  /// Runs `body` on the main thread's context until it returns, and returns its result, an exit status.
  ///
  /// Call it once, from `main`, before anything else uses ``GLibActor``.
  public static func run(_ body: @escaping @GLibActor @Sendable () async -> Int32) -> Int32 {
    MainContext.useMainThread()
    let context = GLibActor.shared.executor.context
    let status = Status()
    Task.onGLib {
      let code = await body()
      status.code.withLock { $0 = code }
    }
    while true {
      if let code = status.code.withLock({ $0 }) { return code }
      g_main_context_iteration(context.pointer, 1)
    }
  }

  private final class Status: Sendable {
    let code = Mutex<Int32?>(nil)
  }
}
