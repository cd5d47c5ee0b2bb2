import CGLib

/// This program, and the installed ones.
public enum Program {
  /// The ID of the default `GApplication`; nil when there is none yet.
  public static var applicationID: String? {
    guard let application = g_application_get_default(), let id = g_application_get_application_id(application) else {
      return nil
    }
    return String(cString: id)
  }

  /// Whether the search path has a program of this name.
  public static func isInstalled(_ name: String) -> Bool {
    guard let path = g_find_program_in_path(name) else { return false }
    g_free(path)
    return true
  }

  /// The last component of the path in `argv[0]`; empty when there is none.
  public static var name: String {
    CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? ""
  }
}
