import CGLib

/// The user's web browser.
public enum Browser {
  /// Whether there is a desktop that could show one.
  public static var isReachable: Bool {
    Environment["WAYLAND_DISPLAY"] != nil || Environment["DISPLAY"] != nil
  }

  /// Opens `address` in the default browser.
  ///
  /// - Parameter activationToken: what the desktop gave for the click that led here, so that the browser may come to
  ///   the front.
  /// - Throws: ``GLibError`` when there is none or it does not start.
  @GLibActor
  public static func open(_ address: String, activationToken: String? = nil) async throws {
    let context = g_app_launch_context_new()
    defer { g_object_unref(context) }
    if let activationToken {
      g_app_launch_context_setenv(context, "XDG_ACTIVATION_TOKEN", activationToken)
      g_app_launch_context_setenv(context, "DESKTOP_STARTUP_ID", activationToken)
    }
    _ = try await asyncCall(deadline: .seconds(10)) { cancellable, callback, data in
      g_app_info_launch_default_for_uri_async(address, context, cancellable, callback, data)
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
