import CGLib

/// What this program is called.
public enum Program {
  /// The id of its `GApplication`; nil where it has none, or none yet.
  public static var applicationID: String? {
    guard let application = g_application_get_default(), let id = g_application_get_application_id(application) else {
      return nil
    }
    return String(cString: id)
  }

  /// The last part of the path that it was started by; empty where it was started by none.
  public static var name: String {
    CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? ""
  }
}
