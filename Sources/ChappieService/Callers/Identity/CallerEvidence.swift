// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// The facts about a caller that come from the kernel and the bus.
struct CallerEvidence: Sendable {
  /// The security module's labels of the connection (from the bus) and of the process.
  var labels: [String] = []
  /// `/.flatpak-info` in the caller's root directory, and whether it equals Flatpak's own copy outside of the sandbox; nil
  /// if there is none.
  var flatpak: (info: FlatpakInfo, isRecorded: Bool)?
  /// Whether the caller has the same user namespace as this service.
  var sharesUserNamespace: Bool
  /// Whether the caller has the same root directory as this service.
  var sharesRoot: Bool
}

extension CallerEvidence {
  /// Inspects a process. It may block: the root directory of a process in another user namespace can be on a file
  /// system that a program provides.
  ///
  /// - Throws: ``Unidentified``.
  init(_ files: ProcDirectory, label: String?) throws(Unidentified) {
    let content: [UInt8]?
    do throws(FileError) {
      let own = try ProcDirectory.own()
      let root = try files.root()
      labels = [label, try files.appArmorLabel()].compactMap(\.self)
      sharesUserNamespace = try files.userNamespace() == own.userNamespace()
      sharesRoot = try root.identity() == own.root().identity()
      content = try root.contentIfThere(of: FlatpakInfo.name, limit: FlatpakInfo.sizeLimit)
    } catch {
      throw Unidentified(error)
    }
    if let content {
      let info = try FlatpakInfo(content)
      flatpak = (info, isRecorded: try Self.record(of: info) == content)
    }
    // After the end of the process, its files may belong to another process.
    guard files.isRunning else { throw Unidentified(.missing) }
  }

  /// The content of Flatpak's own copy outside of the sandbox; nil if it cannot be read.
  private static func record(of info: FlatpakInfo) throws(Unidentified) -> [UInt8]? {
    do throws(FileError) {
      return try Files.read(info.record(in: Directories.runtime), limit: FlatpakInfo.sizeLimit)
    } catch .exhausted {
      throw Unidentified(.exhausted)
    } catch {
      return nil
    }
  }
}

extension Unidentified {
  init(_ error: FileError) {
    switch error {
    case .missing:
      self.init("has ended", isForNow: true)
    case .notPermitted:
      self.init(
        "is closed to this service by the kernel, as programs are that forbid dumping (password managers do) or have "
          + "file capabilities, and all programs where this service runs in a user namespace")
    case .exhausted:
      self.init("cannot be looked into, for \(error)", isForNow: true)
    default:
      self.init("has a sandbox whose marks cannot be read: \(error)")
    }
  }
}

extension CallerIdentity {
  /// Derives the identity from the evidence.
  ///
  /// - Throws: ``Unidentified``.
  init(_ evidence: CallerEvidence) throws(Unidentified) {
    var snaps: Set<AppID> = []
    for label in evidence.labels {
      if let snap = try AppArmorLabel.snap(label) { snaps.insert(snap) }
    }
    guard snaps.count <= 1 else { throw Unidentified("has the AppArmor labels of two snaps") }
    if let snap = snaps.first {
      self = .sandboxed(snap)
    } else if let flatpak = evidence.flatpak {
      guard flatpak.isRecorded else {
        throw Unidentified("has a /\(FlatpakInfo.name) that Flatpak did not write for a running instance")
      }
      self = .sandboxed(flatpak.info.appID)
    } else if !evidence.sharesUserNamespace {
      throw Unidentified(
        "runs in a user namespace of its own and in no sandbox that this service knows, as programs in containers "
          + "do, and in units with options such as PrivateTmp=")
    } else if !evidence.sharesRoot {
      throw Unidentified(
        "has a root directory of its own and is in no sandbox that this service knows, as programs in a chroot "
          + "are, and snaps that AppArmor does not confine")
    } else {
      self = .unsandboxed
    }
  }
}

extension ProcDirectory {
  /// The AppArmor label; nil if the kernel has no AppArmor.
  fileprivate func appArmorLabel() throws(FileError) -> String? {
    // Older kernels and kernels with a single security module have only the second file.
    for name in ["attr/apparmor/current", "attr/current"] {
      do throws(FileError) {
        return String(decoding: try content(of: name), as: UTF8.self)
      } catch .missing, .failed {
        // Without a security module, reading the file fails.
        continue
      }
    }
    return nil
  }
}

extension ProcDirectory.Root {
  fileprivate func contentIfThere(of name: String, limit: Int) throws(FileError) -> [UInt8]? {
    do throws(FileError) {
      return try content(of: name, limit: limit)
    } catch .missing {
      return nil
    }
  }
}

/// The identity of a caller, as the kernel proves it. Claims of the caller itself do not count.
///
/// The strength of each case:
///
/// - ``sandboxed(_:)`` is as strong as the sandbox. The app cannot change it, and is kept apart from other apps. A
///   program outside of all sandboxes can pose as any app, since it can start programs as Flatpak does.
/// - ``unsandboxed`` means that no sandbox separates the program from its user's other programs. The service does not
///   distinguish such programs: every shell extension and every script has the same rights.
/// - ``unidentified(_:)`` does not count as ``unsandboxed``: the caller may be an app that hides its sandbox.
///
/// The service determines the identity once for each connection. A process cannot leave its sandbox, and a process
/// that enters a sandbox later was unsandboxed when it connected. What is so for now is not remembered.
enum CallerIdentity: Sendable, Equatable {
  /// An app in a sandbox of a kind that this service knows.
  case sandboxed(AppID)
  case unsandboxed
  /// A caller that this service cannot inspect.
  case unidentified(Unidentified)

  /// Whether the inspection failed for now, and may succeed a moment later.
  var isForNow: Bool {
    if case .unidentified(let caller) = self { caller.isForNow } else { false }
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
