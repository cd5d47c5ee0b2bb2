import GLibBridge

/// `/.flatpak-info`, which Flatpak puts at the root of each sandbox, and of the D-Bus proxy that speaks for it.
///
/// An app cannot replace it: it is a read-only mount, and Flatpak leaves the app no way to take it away or to get another
/// root (it has no capability, and `chroot`, `mount`, `unshare` and their like are filtered). A sandbox that somebody
/// built with less care might leave one. So the file counts only where it is, byte for byte, the one that `flatpak run`
/// wrote for this instance under the user's runtime directory, outside of the sandbox.
///
/// The cgroup that Flatpak makes for an app (`app-flatpak-ID-PID.scope`) adds nothing to that: any process of the user
/// that can write to the cgroup file system can move there.
struct FlatpakInfo: Equatable, Sendable {
  static let name = ".flatpak-info"
  /// Of what Flatpak writes, the list of extensions is the longest part: some kilobytes.
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

  /// Where Flatpak wrote the same file outside of the sandbox.
  func record(in runtimeDirectory: String) -> String {
    "\(runtimeDirectory)/.flatpak/\(instance)/info"
  }

  private static func isInstance(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
  }
}

/// Why a caller could not be identified.
struct Unidentified: Error, Equatable {
  /// What comes after “the caller”.
  let reason: String
  /// Whether it may be found out a moment later.
  let isForNow: Bool

  init(_ reason: String, isForNow: Bool = false) {
    self.reason = reason
    self.isForNow = isForNow
  }
}
