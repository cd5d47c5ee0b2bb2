// SPDX-License-Identifier: Apache-2.0
import CGLib
import Platform

/// The address of a web page that is safe to open: `https:`, or `http:` on the loopback, with an unambiguous host.
/// Other schemes may start other programs.
public struct WebPageAddress: Sendable, Hashable {
  /// The address, in printable ASCII only.
  public let text: String

  /// Nil for any other address, including one with a user name, which could be mistaken for the host.
  public init?(_ text: String) {
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !Self.forbidden.contains($0) }),
      let address = ParsedURL(text), !address.hasCredentials, let host = address.host, !host.isEmpty,
      address.scheme == "https" || address.scheme == "http" && address.isLoopback,
      // A person cannot read a percent-encoded host.
      text.dropFirst(address.scheme.count + 3).prefix(while: { !"/?#".contains($0) }).utf8.allSatisfy(Self.isPartOfHost)
    else { return nil }
    self.text = text
  }

  /// Scheme, host and port as they are written, in lower case.
  public var origin: String {
    let end = text.utf8.dropFirst(text.prefix { $0 != ":" }.utf8.count + 3).firstIndex { "/?#".utf8.contains($0) }
    return text[..<(end ?? text.endIndex)].lowercased()
  }

  /// Some programs treat a backslash as a slash. The other characters are not allowed in a URL.
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
    _ = try await asyncCall(deadline: .seconds(10)) { cancellable, callback, data in
      g_app_info_launch_default_for_uri_async(page.text, context, cancellable, callback, data)
    } finish: { result, error in
      g_app_info_launch_default_for_uri_finish(result, &error)
    }
  }
}
