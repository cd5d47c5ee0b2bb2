/// The global actor that runs on one GLib main context.
///
/// All code that uses GIO is isolated to it. So GLib's callbacks and Swift's jobs run on the same thread and need no
/// locks. In a program that calls ``MainLoop/run(_:)`` this is the main thread. In any other program GLibBridge starts
/// a thread at first use.
@globalActor
public actor GLibActor {
  public static let shared = GLibActor()

  nonisolated let executor = MainContextExecutor()

  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  // The program holds the length of this file's path, and builds in two directories would differ without a fixed one.
  #sourceLocation(file:"GLibActor.assumeIsolated",line:18)
  /// Runs `body` synchronously, isolated to the actor. Traps when the caller is not on the actor's thread.
  ///
  /// GLib's C callbacks use it: they run on the actor's thread, but the compiler cannot know that.
  package static func assumeIsolated<T>(_ body: @GLibActor () throws -> T) rethrows -> T {
    shared.executor.checkIsolated()
    return try withoutActuallyEscaping(body) { escapable in
      try unsafeBitCast(escapable, to: (() throws -> T).self)()
    }
  }
  #sourceLocation()
}
