// SPDX-License-Identifier: Apache-2.0
import CGLib

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
