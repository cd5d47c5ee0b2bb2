// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// `/.flatpak-info`, which Flatpak puts at the root of each sandbox and of its D-Bus proxy.
///
/// An app cannot replace the file. It is a read-only mount, and the app can neither unmount it nor change its root: it
/// has no capability, and Flatpak filters `chroot`, `mount`, `unshare` and similar calls. Another sandbox may be less
/// strict. So the file counts only if it equals, byte for byte, the file that `flatpak run` wrote for this instance
/// under the user's runtime directory, outside of the sandbox.
///
/// The cgroup of an app (`app-flatpak-ID-PID.scope`) adds no proof: any process of the user that can write to the
/// cgroup file system can move there.
struct FlatpakInfo: Equatable, Sendable {
  static let name = ".flatpak-info"
  /// The largest size in bytes. The list of extensions, the longest part, takes some kilobytes.
  static let sizeLimit = 64 << 10

  let appID: AppID
  /// The instance's directory under `$XDG_RUNTIME_DIR/.flatpak`.
  let instance: String

  /// - Throws: ``Unidentified``.
  init(_ content: [UInt8]) throws(Unidentified) {
    guard let file = try? KeyFile(content) else { throw Unidentified("has a /\(Self.name) that is no key file") }
    guard let appID = file.string("Application", "name").flatMap(AppID.init(flatpak:)) else {
      throw Unidentified("has a /\(Self.name) that names no app")
    }
    guard let instance = file.string("Instance", "instance-id"), Self.isInstance(instance) else {
      throw Unidentified("has a /\(Self.name) that names no instance")
    }
    self.appID = appID
    self.instance = instance
  }

  /// The path of Flatpak's own copy outside of the sandbox.
  func record(in runtimeDirectory: String) -> String {
    "\(runtimeDirectory)/.flatpak/\(instance)/info"
  }

  private static func isInstance(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
  }
}

/// The reason for which a caller could not be identified.
struct Unidentified: Error, Equatable {
  /// The rest of a sentence that begins with “the caller”.
  let reason: String
  /// Whether another try may succeed a moment later.
  let isForNow: Bool

  init(_ reason: String, isForNow: Bool = false) {
    self.reason = reason
    self.isForNow = isForNow
  }
}
