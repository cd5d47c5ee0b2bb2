import CGLib

/// What the programs tell of what they do: structured, to the journal where there is one, to standard error elsewhere.
///
/// A message holds no token, header, prompt, answer, title of a thread or address of a person: ``LogMessage`` takes
/// only what its types allow. The log domain is `chappie` in this package's own programs. In one that uses the
/// libraries it is that program's name: the output is its own, and so is what is written there.
package enum Log {
  /// How much a message matters, as the journal numbers it.
  enum Level: Int {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7

    /// As GLib shows it: everything but ``debug`` in this package's own programs. In others it is up to their settings.
    var flags: GLogLevelFlags {
      switch self {
      case .error: G_LOG_LEVEL_CRITICAL
      case .warning: G_LOG_LEVEL_WARNING
      case .notice, .info: isOwnProgram ? G_LOG_LEVEL_MESSAGE : G_LOG_LEVEL_INFO
      case .debug: G_LOG_LEVEL_DEBUG
      }
    }
  }

  /// Something that stops the program, or a part of what it is for.
  package static func error(_ message: LogMessage) { write(message, .error, nil) }

  /// Something that is wrong and does not stop the program.
  package static func warning(_ message: LogMessage, slot: LogSlot? = nil) { write(message, .warning, slot) }

  /// Something out of the ordinary, with which nothing is wrong.
  package static func notice(_ message: LogMessage, slot: LogSlot? = nil) { write(message, .notice, slot) }

  /// A step that explains later ones. A program that uses the libraries shows it as it shows ``debug(_:slot:)``.
  package static func info(_ message: LogMessage, slot: LogSlot? = nil) { write(message, .info, slot) }

  /// Shown when `G_MESSAGES_DEBUG` names the log domain, or is `all`; not made otherwise.
  package static func debug(_ message: @autoclosure () -> LogMessage, slot: LogSlot? = nil) {
    guard isDebugging else { return }
    write(message(), .debug, slot)
  }

  /// Sends what is not for the journal to standard error, where GLib would send some of it to standard output.
  package static func useStandardError() { g_log_writer_default_set_use_stderr(1) }

  /// Whether ``debug(_:slot:)`` shows anything.
  package static var isDebugging: Bool { g_log_writer_default_would_drop(G_LOG_LEVEL_DEBUG, domain) == 0 }

  private static var isOwnProgram: Bool { MainContext.isMainThreads }

  private static var domain: String { isOwnProgram ? "chappie" : Program.applicationID ?? Program.name }

  /// What the journal gets, as key and value.
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

/// Tells the lines of one slot from those of others in the journal, and not whose it is.
package struct LogSlot: Sendable {
  let fingerprint: String

  /// - Parameter fingerprint: a digest of what names the slot.
  package init(fingerprint: String) {
    self.fingerprint = String(fingerprint.prefix(16))
  }
}
