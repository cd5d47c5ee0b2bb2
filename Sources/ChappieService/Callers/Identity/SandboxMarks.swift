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
    guard let instance = file.string("Instance", "instance-id"), instance.isPlainName, instance.utf8.count <= 64
    else {
      throw Unidentified("has a /\(Self.name) that names no instance")
    }
    self.appID = appID
    self.instance = instance
  }

  /// The path of Flatpak's own copy outside of the sandbox.
  func record(in runtimeDirectory: String) -> String {
    "\(runtimeDirectory)/.flatpak/\(instance)/info"
  }
}

/// A `/.flatpak-info`, and whether it equals Flatpak's own copy outside of the sandbox.
struct FlatpakMark: Sendable {
  let info: FlatpakInfo
  let isRecorded: Bool
}

/// The label under which AppArmor confines a process, such as `snap.firefox.firefox (enforce)`.
///
/// The label identifies a snap. The kernel sets it when snapd starts the app, passes it on to child processes, and lets
/// an app change it only where its profile allows that. The other two marks of a snap prove nothing: a process can move
/// to another of its user's cgroups (`snap.NAME.APP-UUID.scope`), and a caller can set environment variables.
///
/// A label in `complain` mode (classic snaps and snaps in development) confines nothing, and so proves nothing. On a
/// system without AppArmor a snap has no label. It runs in its own root directory and cannot be identified.
enum AppArmorLabel {
  /// The snap of a confined app; nil for every other label.
  ///
  /// - Throws: ``Unidentified`` for a label that looks like a snap's and names no snap.
  static func snap(_ text: String) throws(Unidentified) -> AppID? {
    let text = text.last == "\n" ? String(text.dropLast()) : text
    let parts = text.split(separator: " ", maxSplits: 1)
    let mode = parts.count == 2 ? parts[1] : ""
    guard text.hasPrefix("snap."), mode != "(complain)", mode != "(unconfined)" else { return nil }
    // snap.NAME.APP or snap.NAME.hook.HOOK, and the suffixes that a profile may add: //CHILD, //&STACKED.
    let names = parts[0].split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
    guard names.count == 3, let snap = AppID(snap: String(names[1])) else {
      throw Unidentified("has the AppArmor label of a snap, which names none")
    }
    return snap
  }
}
