import CGLib
import Glibc

/// The directories of the XDG base directory specification.
public enum Directories {
  public static var configuration: String { String(cString: g_get_user_config_dir()) }
  public static var data: String { String(cString: g_get_user_data_dir()) }
  public static var state: String { String(cString: g_get_user_state_dir()) }
  public static var runtime: String { String(cString: g_get_user_runtime_dir()) }

  /// Makes a directory that only the user can enter, with its parents.
  ///
  /// - Throws: ``GLibError`` when it cannot be made.
  public static func make(_ path: String) throws {
    guard g_mkdir_with_parents(path, 0o700) == 0 else {
      throw GLibError(domain: "chappie-file", code: errno, message: String(cString: strerror(errno)))
    }
  }

  /// The directories of the system's data, most important first.
  public static var systemData: [String] { list(g_get_system_data_dirs()) }

  /// The directories of the system's configuration, most important first.
  public static var systemConfiguration: [String] { list(g_get_system_config_dirs()) }

  private static func list(_ start: UnsafePointer<UnsafePointer<CChar>?>?) -> [String] {
    guard var next = start else { return [] }
    var directories: [String] = []
    while let directory = next.pointee {
      directories.append(String(cString: directory))
      next += 1
    }
    return directories
  }
}
