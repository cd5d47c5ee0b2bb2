// SPDX-License-Identifier: Apache-2.0
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

/// An application with a desktop file, as the user's and the system's data directories have it.
public enum InstalledApplication {
  /// The name in the desktop file `id.desktop`; nil without such a file. It reads files, and so may block.
  ///
  /// - Parameter isTranslated: whether the name is in the language of this process.
  public static func name(of id: String, isTranslated: Bool) -> String? {
    guard let application = g_desktop_app_info_new(id + ".desktop") else { return nil }
    defer { g_object_unref(UnsafeMutableRawPointer(application)) }
    if isTranslated { return g_app_info_get_name(application).map { String(cString: $0) } }
    guard let name = g_desktop_app_info_get_string(application, "Name") else { return nil }
    defer { g_free(name) }
    return String(cString: name)
  }
}
