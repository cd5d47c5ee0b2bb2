import CGLib
import Synchronization

/// The `GMainContext` of ``GLibActor``, and the thread that iterates it.
struct MainContext: @unchecked Sendable {
  enum Driver {
    /// ``MainLoop/run(_:)`` iterates the default context on the main thread.
    case mainThread
    /// A thread that GLibBridge starts iterates a context of its own.
    case ownThread
  }

  private static let driver = Mutex(Driver.ownThread)

  let pointer: OpaquePointer?
  private let driver: Driver

  /// Makes the actor use the main thread's default context. Call it before the first use of the actor.
  static func useMainThread() {
    driver.withLock { $0 = .mainThread }
  }

  /// Whether this program runs ``MainLoop``, as this package's own programs do.
  static var isMainThreads: Bool { driver.withLock { if case .mainThread = $0 { true } else { false } } }

  static func chosen() -> MainContext {
    switch driver.withLock({ $0 }) {
    case .mainThread: MainContext(pointer: g_main_context_default(), driver: .mainThread)
    case .ownThread: MainContext(pointer: g_main_context_new(), driver: .ownThread)
    }
  }

  /// Starts the thread of a context that has its own thread.
  func start() {
    guard case .ownThread = driver else { return }
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
