import CGLib

/// Bus names.
public enum BusName {
  /// Whether `text` is a well-known name such as `org.example.App`: at most 255 bytes, with two or more elements of
  /// ASCII letters, digits, `-` and `_` that are separated by `.` and do not start with a digit.
  public static func isWellKnown(_ text: String) -> Bool {
    !text.utf8.contains(0) && g_dbus_is_name(text) != 0 && g_dbus_is_unique_name(text) == 0
  }
}
