import CGLib

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
