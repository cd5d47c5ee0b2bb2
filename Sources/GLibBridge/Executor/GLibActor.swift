/// The actor whose state lives on one GLib main context.
///
/// Everything that talks to GIO is isolated to it, so that GLib's callbacks and Swift's jobs run on the same
/// thread and need no locks. In a program that calls ``MainLoop/run(_:)`` that thread is the main thread; in
/// any other program GLibBridge starts a thread of its own at first use.
@globalActor
public actor GLibActor {
  public static let shared = GLibActor()

  nonisolated let executor = MainContextExecutor()

  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Runs `body` at once, as code on the actor. Traps when the caller is not on the actor's thread.
  ///
  /// This is what GLib's C callbacks use: they arrive on the right thread, which the compiler cannot know.
  package static func assumeIsolated<T>(_ body: @GLibActor () throws -> T) rethrows -> T {
    shared.executor.checkIsolated()
    return try withoutActuallyEscaping(body) { escapable in
      try unsafeBitCast(escapable, to: (() throws -> T).self)()
    }
  }
}
