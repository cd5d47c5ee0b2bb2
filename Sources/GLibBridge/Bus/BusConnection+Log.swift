// SPDX-License-Identifier: Apache-2.0
import CGLib

extension BusConnection {
  /// Suppresses the warnings of GIO and libsecret after this connection is closed: they still create proxies for
  /// earlier replies then, and log a warning for each. Call it once in a process.
  ///
  /// - Parameter connection: the shared connection that the libraries use, as ``open(_:deadline:)`` returns it.
  public static func quietenLibraries(onceClosed connection: BusConnection) {
    g_log_set_writer_func(writer, g_object_ref(UnsafeMutableRawPointer(connection.pointer))) { g_object_unref($0) }
  }

  /// GLib calls it on any thread.
  private nonisolated static var writer: GLogWriterFunc {
    { level, fields, count, connection in
      let complaints = G_LOG_LEVEL_CRITICAL.rawValue | G_LOG_LEVEL_WARNING.rawValue
      guard level.rawValue & complaints != 0, let connection,
        g_dbus_connection_is_closed(OpaquePointer(connection)) != 0,
        BusConnection.isOfLibraryOverBus(UnsafeBufferPointer(start: fields, count: Int(count)))
      else { return g_log_writer_default(level, fields, count, nil) }
      return G_LOG_WRITER_HANDLED
    }
  }

  private nonisolated static func isOfLibraryOverBus(_ fields: UnsafeBufferPointer<GLogField>) -> Bool {
    fields.contains { field in
      guard String(cString: field.key) == "GLIB_DOMAIN", let value = field.value else { return false }
      return ["GLib-GIO", "libsecret"].contains(String(cString: value.assumingMemoryBound(to: CChar.self)))
    }
  }
}
