import CGLib

/// Names on the bus.
public enum BusName {
  /// Whether `text` is a well-known name such as `org.example.App`: two or more parts of ASCII letters, digits, `-` and
  /// `_` that start with no digit, with `.` between them, at most 255 bytes.
  public static func isWellKnown(_ text: String) -> Bool {
    !text.utf8.contains(0) && g_dbus_is_name(text) != 0 && g_dbus_is_unique_name(text) == 0
  }
}
