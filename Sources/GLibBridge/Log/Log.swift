// SPDX-License-Identifier: Apache-2.0
import CGLib

/// The log: structured, in the journal if the program's output goes there, else on standard error.
///
/// A message holds no token, header, prompt, answer, title of a thread or address of a person: ``LogMessage`` accepts
/// only values of certain types. The log domain is `chappie` in this package's own programs, and the program's name in
/// other programs that use the libraries.
package enum Log {
  /// The importance of a message, numbered as in the journal.
  enum Level: Int {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7

    /// GLib's level. This package's own programs show all but ``debug``; others decide by their settings.
    var flags: GLogLevelFlags {
      switch self {
      case .error: G_LOG_LEVEL_CRITICAL
      case .warning: G_LOG_LEVEL_WARNING
      case .notice, .info: MainLoop.isUsed ? G_LOG_LEVEL_MESSAGE : G_LOG_LEVEL_INFO
      case .debug: G_LOG_LEVEL_DEBUG
      }
    }
  }

  /// A failure that ends the program or one of its main functions.
  package static func error(_ message: LogMessage) { write(message, .error, nil) }

  /// A fault that does not end the program.
  package static func warning(_ message: LogMessage, slot: LogSlot? = nil) { write(message, .warning, slot) }

  /// An unusual event that is no fault.
  package static func notice(_ message: LogMessage, slot: LogSlot? = nil) { write(message, .notice, slot) }

  /// A step that explains later ones. Other programs that use the libraries show it together with ``debug(_:slot:)``.
  package static func info(_ message: LogMessage, slot: LogSlot? = nil) { write(message, .info, slot) }

  /// Shown if `G_MESSAGES_DEBUG` names the log domain or is `all`. Otherwise the message is not evaluated.
  package static func debug(_ message: @autoclosure () -> LogMessage, slot: LogSlot? = nil) {
    guard isDebugging else { return }
    write(message(), .debug, slot)
  }

  /// Sends all messages to standard error if there is no journal. GLib would send some to standard output.
  package static func useStandardError() { g_log_writer_default_set_use_stderr(1) }

  /// Whether messages of ``debug(_:slot:)`` are shown.
  package static var isDebugging: Bool { g_log_writer_default_would_drop(G_LOG_LEVEL_DEBUG, domain) == 0 }

  private static var domain: String { MainLoop.isUsed ? "chappie" : Program.applicationID ?? Program.name }

  /// The fields of a journal entry, as key and value.
  static func fields(_ message: LogMessage, _ level: Level, _ slot: LogSlot?, domain: String) -> [(String, String)] {
    [("MESSAGE", message.text), ("PRIORITY", "\(level.rawValue)"), ("GLIB_DOMAIN", domain)]
      + (slot.map { [("CHAPPIE_SLOT", $0.fingerprint)] } ?? [])
  }

  private static func write(_ message: LogMessage, _ level: Level, _ slot: LogSlot?) {
    let fields = fields(message, level, slot, domain: domain)
    withCStrings(fields.map(\.0) + fields.map(\.1)) { texts in
      let array = fields.indices.map { index in
        GLogField(key: texts[index], value: UnsafeRawPointer(texts[fields.count + index]), length: -1)
      }
      g_log_structured_array(level.flags, array, gsize(array.count))
    }
  }
}

/// A mark that all messages of one slot have in the journal. It does not reveal the account.
package struct LogSlot: Sendable {
  let fingerprint: String

  /// - Parameter fingerprint: a digest of the slot's identity.
  package init(fingerprint: String) {
    self.fingerprint = String(fingerprint.prefix(16))
  }
}
