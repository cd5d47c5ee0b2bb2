import CGLib
import Platform

/// The address of a page that may be opened, and that leads where a person reads that it does: `https:`, or `http:` on
/// this machine. Other schemes start other programs.
public struct WebPageAddress: Sendable, Hashable {
  /// The address, which has visible ASCII alone.
  public let text: String

  /// Nil for what is no such address: also for one with a user name, which can look like the host.
  public init?(_ text: String) {
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !Self.forbidden.contains($0) }),
      let address = ParsedURL(text), !address.hasCredentials, let host = address.host, !host.isEmpty,
      address.scheme == "https" || address.scheme == "http" && address.isLoopback,
      // A host in escapes is not read as what it is.
      text.dropFirst(address.scheme.count + 3).prefix(while: { !"/?#".contains($0) }).utf8.allSatisfy(Self.isPartOfHost)
    else { return nil }
    self.text = text
  }

  /// Programs take a backslash for a slash; the others belong into no address.
  private static let forbidden = Set(#"\"<>^`{|}"#.utf8)

  private static func isPartOfHost(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"): true
    default: false
    }
  }
}

/// The user's web browser.
public enum Browser {
  /// Whether there is a desktop that could show one.
  public static var isReachable: Bool {
    ["WAYLAND_DISPLAY", "DISPLAY"].contains { CurrentProcess.environment($0) != nil }
  }

  /// Opens `page` in the default browser.
  ///
  /// - Parameter activationToken: what the desktop gave for the click that led here, so that the browser may come to
  ///   the front.
  /// - Throws: ``GLibError`` when there is none or it does not start.
  @GLibActor
  public static func open(_ page: WebPageAddress, activationToken: String? = nil) async throws {
    let context = g_app_launch_context_new()
    defer { g_object_unref(context) }
    if let activationToken {
      g_app_launch_context_setenv(context, "XDG_ACTIVATION_TOKEN", activationToken)
      g_app_launch_context_setenv(context, "DESKTOP_STARTUP_ID", activationToken)
    }
    _ = try await asyncCall(deadline: .seconds(10)) { cancellable, callback, data in
      g_app_info_launch_default_for_uri_async(page.text, context, cancellable, callback, data)
    } finish: { result, error in
      g_app_info_launch_default_for_uri_finish(result, &error)
    }
  }
}
