// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge

/// The default browser of a world: it records each page and activation token that it receives.
@GLibActor
struct Browser {
  private let log: URL

  /// - Parameter schemes: the URI schemes that it handles.
  init(_ directories: WorldDirectories, schemes: [String] = ["http"]) throws {
    log = directories.root.appending(path: "browser.log")
    let script = directories.root.appending(path: "browser")
    try "#!/bin/sh\necho \"$1 $XDG_ACTIVATION_TOKEN\" >>'\(log.path)'\n".write(
      to: script, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script.path)
    let types = schemes.map { "x-scheme-handler/\($0)" }
    let applications = directories.data.appending(path: "applications")
    try FileManager.default.createDirectory(at: applications, withIntermediateDirectories: true)
    try """
    [Desktop Entry]
    Type=Application
    Name=Browser
    Exec=\(script.path) %u
    MimeType=\(types.joined(separator: ";"));text/html;
    """.write(to: applications.appending(path: "browser.desktop"), atomically: true, encoding: .utf8)
    let defaults = types.map { "\($0)=browser.desktop\n" }.joined()
    try "[Default Applications]\n\(defaults)".write(
      to: directories.configuration.appending(path: "mimeapps.list"), atomically: true, encoding: .utf8)
  }

  /// Each opened page, followed by a space and the token.
  var pages: [String] {
    String(decoding: (try? Data(contentsOf: log)) ?? Data(), as: UTF8.self).split(separator: "\n").map(String.init)
  }

  func waitForPage(_ count: Int = 1) async throws -> String {
    try await eventually("page \(count) in the browser") { pages.count >= count }
    return pages[count - 1]
  }
}
