import CGLib

/// The user's web browser.
public enum Browser {
  /// Whether there is a desktop that could show one.
  public static var isReachable: Bool {
    Environment["WAYLAND_DISPLAY"] != nil || Environment["DISPLAY"] != nil
  }

  /// Opens `address` in the default browser.
  ///
  /// - Throws: ``GLibError`` when there is none or it does not start.
  @GLibActor
  public static func open(_ address: String) async throws {
    _ = try await asyncCall(deadline: .seconds(10)) { cancellable, callback, data in
      g_app_info_launch_default_for_uri_async(address, nil, cancellable, callback, data)
    } finish: { result, error in
      g_app_info_launch_default_for_uri_finish(result, &error)
    }
  }
}

/// The environment of this process.
public enum Environment {
  /// The value of `name`; nil when it is unset or empty.
  public static subscript(name: String) -> String? {
    guard let value = g_getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}
