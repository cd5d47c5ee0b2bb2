import CGLib
import Synchronization

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
