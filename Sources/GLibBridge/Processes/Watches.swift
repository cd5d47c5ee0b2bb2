// SPDX-License-Identifier: Apache-2.0
import CGLib
import Glibc
import Platform

/// Calls an action on the actor for each occurrence of a Unix signal. Releasing the watch restores the signal's default
/// action.
@GLibActor
public final class UnixSignalWatch: SourceWatch {
  /// Starts watching.
  ///
  /// - Parameter signal: `SIGHUP`, `SIGINT`, `SIGTERM`, `SIGUSR1`, `SIGUSR2` or `SIGWINCH`.
  public init(_ signal: Int32, _ action: @escaping @GLibActor () -> Void) {
    super.init(.signal(signal), repeats: true, action)
  }
}

/// Unix signals.
public enum UnixSignals {
  /// Waits for the first of `signals` and returns its number. A second signal then has its default action, so that a
  /// second Ctrl-C ends a program that is slow to stop.
  @GLibActor
  public static func first(of signals: [Int32]) async -> Int32 {
    let wait = Wait()
    var first: Int32 = 0
    let watches = signals.map { signal in
      UnixSignalWatch(signal) {
        if first == 0 { first = signal }
        wait.finish()
      }
    }
    await wait.value()
    for watch in watches { watch.cancel() }
    return first
  }
}

/// Calls an action once, when the reader of a pipe, a socket or a terminal has closed its end. It never does for a
/// regular file. Releasing the watch stops it.
@GLibActor
public final class HangUpWatch: SourceWatch {
  /// - Parameter stream: the stream, which must stay open while the watch exists.
  public init(_ stream: StandardStream, _ action: @escaping @GLibActor () -> Void) {
    let condition = GIOCondition(rawValue: G_IO_ERR.rawValue | G_IO_HUP.rawValue)
    super.init(.descriptor(stream.rawValue, condition), action)
  }
}

/// Calls an action once, when the parent process ends. Releasing the watch stops it.
@GLibActor
public final class ParentWatch: SourceWatch {
  private let parent: ProcessHandle

  /// Nil when the parent process cannot be watched or has already ended.
  public init?(_ action: @escaping @GLibActor () -> Void) {
    let number = getppid()
    guard number > 1, let parent = ProcessHandle(number), getppid() == number else { return nil }
    self.parent = parent
    super.init(.descriptor(parent.descriptor.number, G_IO_IN), action)
  }
}

/// Calls an action on the actor after each change of a file: a new one at its path, its removal, or new content.
/// Releasing the watch stops it.
@GLibActor
public final class FileMonitor {
  private let pointer: UnsafeMutablePointer<GFileMonitor>

  /// - Throws: ``GLibError`` when the system cannot watch the file.
  public init(_ path: String, _ action: @escaping @GLibActor () -> Void) throws {
    let file = g_file_new_for_path(path)
    defer { g_object_unref(UnsafeMutableRawPointer(file)) }
    pointer = try checked { g_file_monitor_file(file, G_FILE_MONITOR_NONE, nil, &$0) }
    onSignal("changed", of: pointer, action)
  }

  isolated deinit {
    g_file_monitor_cancel(pointer)
    g_object_unref(pointer)
  }
}
