import CGLib

/// Structured logging: to the journal where there is one, to standard error elsewhere.
///
/// A message must hold no token, no prompt and no answer.
public enum Log {
  public static func error(_ message: String) { write(message, G_LOG_LEVEL_CRITICAL, priority: "3") }
  public static func warning(_ message: String) { write(message, G_LOG_LEVEL_WARNING, priority: "4") }
  public static func notice(_ message: String) { write(message, G_LOG_LEVEL_MESSAGE, priority: "5") }
  /// Shown when `G_MESSAGES_DEBUG` names `chappie` or `all`.
  public static func debug(_ message: String) { write(message, G_LOG_LEVEL_DEBUG, priority: "7") }

  private static func write(_ message: String, _ level: GLogLevelFlags, priority: String) {
    withCStrings(["MESSAGE", "PRIORITY", "GLIB_DOMAIN", message, priority, "chappie"]) { texts in
      let fields = (0..<3).map { index in
        GLogField(key: texts[index], value: UnsafeRawPointer(texts[index + 3]), length: -1)
      }
      g_log_structured_array(level, fields, gsize(fields.count))
    }
  }
}
