// SPDX-License-Identifier: Apache-2.0
import CGLib
import Platform

extension Timestamp {
  /// The date and time, in the user's time zone and language.
  public var localText: String {
    // Translators: a date and a time, as g_date_time_format formats it.
    formatted(tr("%a %-d %b %Y, %H:%M"))
  }

  /// The time alone if it is of today, and else as ``localText``.
  public var shortLocalText: String {
    // Translators: a time of today, as g_date_time_format formats it.
    formatted("%F") == Timestamp.now.formatted("%F") ? formatted(tr("%H:%M")) : localText
  }

  private func formatted(_ format: String) -> String {
    guard let date = g_date_time_new_from_unix_local(gint64(unixSeconds)) else { return "\(unixSeconds)" }
    defer { g_date_time_unref(date) }
    // The names of days and months are those of the locale, too.
    return takeString(Translation.inUsersLocale { g_date_time_format(date, format) }) ?? "\(unixSeconds)"
  }

  /// Reads a time in the form of ISO 8601, in UTC where it names no zone. Nil for any other text, and for a time out of
  /// range.
  public init?(iso8601 text: String) {
    let utc = g_time_zone_new_utc()
    defer { g_time_zone_unref(utc) }
    guard let date = g_date_time_new_from_iso8601(text, utc) else { return nil }
    defer { g_date_time_unref(date) }
    self.init(Int64(g_date_time_to_unix(date)))
  }
}

/// Times in this project's format: Unix seconds in UTC.
public enum UnixTime {
  /// The current Unix time in seconds.
  public static var now: Int64 { Timestamp.now.unixSeconds }

  /// The current Unix time in seconds, and the microseconds since that second.
  public static var nowWithMicroseconds: (seconds: Int64, microseconds: Int32) {
    let (seconds, rest) = Int64(g_get_real_time()).quotientAndRemainder(dividingBy: 1_000_000)
    return (seconds, Int32(rest))
  }
}
