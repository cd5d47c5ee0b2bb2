// SPDX-License-Identifier: Apache-2.0
import CGLib
import Platform

/// The user's web browser.
public enum Browser {
  /// Whether the session has a display.
  public static var isReachable: Bool {
    ["WAYLAND_DISPLAY", "DISPLAY"].contains { CurrentProcess.environment($0) != nil }
  }

  /// The name of the program that opens web pages; nil when there is none.
  public static var defaultName: String? {
    guard let browser = g_app_info_get_default_for_uri_scheme("https") else { return nil }
    defer { g_object_unref(UnsafeMutableRawPointer(browser)) }
    return g_app_info_get_name(browser).map { String(cString: $0) }
  }

  /// Opens `page` in the default browser.
  ///
  /// - Parameter activationToken: the XDG activation token of the user's action, which lets the browser raise its
  ///   window.
  /// - Throws: ``GLibError`` when there is no browser or it does not start.
  @GLibActor
  public static func open(_ page: WebPageAddress, activationToken: String? = nil) async throws {
    let context = g_app_launch_context_new()
    defer { g_object_unref(context) }
    if let activationToken {
      g_app_launch_context_setenv(context, "XDG_ACTIVATION_TOKEN", activationToken)
      g_app_launch_context_setenv(context, "DESKTOP_STARTUP_ID", activationToken)
    }
    try await asyncCall(deadline: .seconds(10)) { cancellable, callback, data in
      g_app_info_launch_default_for_uri_async(page.text, context, cancellable, callback, data)
    } finish: { result, error in
      g_app_info_launch_default_for_uri_finish(result, &error)
    }
  }
}

/// This program, and the installed ones.
public enum Program {
  /// The ID of the default `GApplication`; nil when there is none yet.
  public static var applicationID: String? {
    g_application_get_default().flatMap(g_application_get_application_id).map { String(cString: $0) }
  }

  /// Whether the search path has a program of this name.
  public static func isInstalled(_ name: String) -> Bool { path(of: name) != nil }

  /// The absolute path of a program, by the search path where its name has no slash; nil if there is none.
  public static func path(of name: String) -> String? {
    takeString(g_find_program_in_path(name)).map(Directories.absolutePath)
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
    return takeString(g_desktop_app_info_get_string(application, "Name"))
  }
}

/// The directories of the XDG base directory specification, and the working directory.
public enum Directories {
  public static var home: String { String(cString: g_get_home_dir()) }
  public static var cache: String { String(cString: g_get_user_cache_dir()) }
  public static var configuration: String { String(cString: g_get_user_config_dir()) }
  public static var data: String { String(cString: g_get_user_data_dir()) }
  public static var state: String { String(cString: g_get_user_state_dir()) }
  public static var runtime: String { String(cString: g_get_user_runtime_dir()) }

  /// The system's data directories, in order of precedence.
  public static var systemData: [String] { elements(g_get_system_data_dirs()).map { String(cString: $0) } }

  /// The system's configuration directories, in order of precedence.
  public static var systemConfiguration: [String] { elements(g_get_system_config_dirs()).map { String(cString: $0) } }

  /// The absolute form of `path`, relative to the working directory.
  public static func absolutePath(_ path: String) -> String {
    takeString(g_canonicalize_filename(path, nil)) ?? path
  }
}

/// The operating system of this machine.
public enum OperatingSystem {
  /// Its name with its version, for people; nil if it does not tell.
  public static var name: String? { takeString(g_get_os_info("PRETTY_NAME")) }
}
