// SPDX-License-Identifier: Apache-2.0
import CGLib

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

extension Task where Failure == Never {
  /// Starts a task on the actor.
  ///
  /// A plain `Task { @GLibActor in … }` resumes on Swift's thread pool after each suspension before it returns to the
  /// actor. This task prefers the actor's thread, so the pool is never started.
  @discardableResult
  public static func onGLib(@_implicitSelfCapture _ body: sending @escaping @GLibActor () async -> Success) -> Task {
    Task(executorPreference: GLibActor.shared.executor) { await body() }
  }
}

extension Task where Failure == any Error {
  /// Starts a task on the actor that can throw; otherwise as the form that cannot.
  @discardableResult
  public static func onGLib(@_implicitSelfCapture _ body: sending @escaping @GLibActor () async throws -> Success)
    -> Task
  {
    Task(executorPreference: GLibActor.shared.executor) { try await body() }
  }
}

/// The time that one event source may use in an iteration of the main loop while other sources wait.
public struct TimeSlice {
  /// The length in microseconds. With a hundred busy sources an iteration takes 50 ms.
  private static let length: gint64 = 500
  /// The number of calls between two readings of the clock.
  private static let stride = 8

  private let end = g_get_monotonic_time() + Self.length
  private var count = 0

  public init() {}

  /// Whether the slice has ended. Call it after each unit of work of a few microseconds.
  public mutating func isOver() -> Bool {
    count += 1
    return count.isMultiple(of: Self.stride) && hasPassed
  }

  /// Whether the slice has ended, by the clock.
  var hasPassed: Bool { g_get_monotonic_time() >= end }
}
