import CGLib
import Synchronization

/// The `GMainContext` that ``GLibActor`` runs on, and who drives it.
struct MainContext: @unchecked Sendable {
  enum Driver {
    /// ``MainLoop/run(_:)`` drives the default context on the main thread.
    case mainThread
    /// A thread of GLibBridge's own drives a context of its own.
    case ownThread
  }

  private static let driver = Mutex(Driver.ownThread)

  let pointer: OpaquePointer?
  private let driver: Driver

  /// Makes the main thread's default context the actor's. Must come before the first use of the actor.
  static func useMainThread() {
    driver.withLock { $0 = .mainThread }
  }

  /// Whether this program gives its main thread to the actor, as those of this package do.
  static var isMainThreads: Bool { driver.withLock { if case .mainThread = $0 { true } else { false } } }

  static func chosen() -> MainContext {
    switch driver.withLock({ $0 }) {
    case .mainThread: MainContext(pointer: g_main_context_default(), driver: .mainThread)
    case .ownThread: MainContext(pointer: g_main_context_new(), driver: .ownThread)
    }
  }

  /// Starts the thread of a context that has one of its own.
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
