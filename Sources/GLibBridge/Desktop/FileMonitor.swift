// SPDX-License-Identifier: Apache-2.0
import CGLib

/// Calls an action on the actor after each change of a file: a new one at its path, its removal, or new content.
@GLibActor
public final class FileMonitor {
  private let pointer: UnsafeMutablePointer<GFileMonitor>

  /// - Throws: ``GLibError`` when the system cannot watch the file.
  public init(_ path: String, _ action: @escaping @GLibActor () -> Void) throws {
    let file = g_file_new_for_path(path)
    defer { g_object_unref(UnsafeMutableRawPointer(file)) }
    guard let pointer = try checked({ g_file_monitor_file(file, G_FILE_MONITOR_NONE, nil, &$0) }) else {
      throw GLibError.timedOut
    }
    self.pointer = pointer
    typealias Box = CallbackBox<@GLibActor () -> Void>
    let callback:
      @convention(c) (
        UnsafeMutablePointer<GFileMonitor>?, OpaquePointer?, OpaquePointer?, GFileMonitorEvent,
        UnsafeMutableRawPointer?
      ) -> Void = { _, _, _, _, data in
        GLibActor.assumeIsolated { Box.of(data).closure() }
      }
    g_signal_connect_data(
      UnsafeMutableRawPointer(pointer), "changed", unsafeBitCast(callback, to: GCallback.self), Box(action).retained,
      Box.releaseOfSignal, GConnectFlags(rawValue: 0))
  }

  isolated deinit {
    g_file_monitor_cancel(pointer)
    g_object_unref(UnsafeMutableRawPointer(pointer))
  }
}
