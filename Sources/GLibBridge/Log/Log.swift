import CGLib

/// Structured logging: to the journal where there is one, to standard error elsewhere.
///
/// A message must hold no token, no prompt and no answer.
///
/// The log domain is `chappie` in this package's own programs. In one that uses the libraries it is that program's
/// name: the output is its own, and so is what is written there.
public enum Log {
  public static func error(_ message: String) { write(message, G_LOG_LEVEL_CRITICAL, priority: "3") }
  public static func warning(_ message: String) { write(message, G_LOG_LEVEL_WARNING, priority: "4") }
  /// What a service tells its journal. A program that uses the libraries shows it as it shows ``debug(_:)``.
  public static func notice(_ message: String) {
    write(message, isOwnProgram ? G_LOG_LEVEL_MESSAGE : G_LOG_LEVEL_INFO, priority: isOwnProgram ? "5" : "6")
  }
  /// Shown when `G_MESSAGES_DEBUG` names the log domain, or is `all`.
  public static func debug(_ message: String) { write(message, G_LOG_LEVEL_DEBUG, priority: "7") }

  private static var isOwnProgram: Bool { MainContext.isMainThreads }

  private static var domain: String { isOwnProgram ? "chappie" : Program.applicationID ?? Program.name }

  private static func write(_ message: String, _ level: GLogLevelFlags, priority: String) {
    withCStrings(["MESSAGE", "PRIORITY", "GLIB_DOMAIN", message, priority, domain]) { texts in
      let fields = (0..<3).map { index in
        GLogField(key: texts[index], value: UnsafeRawPointer(texts[index + 3]), length: -1)
      }
      g_log_structured_array(level, fields, gsize(fields.count))
    }
  }
}
