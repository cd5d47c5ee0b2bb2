// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// The facts about a caller that come from the kernel and the bus.
struct CallerEvidence: Sendable {
  /// The security module's labels of the connection (from the bus) and of the process.
  var labels: [String] = []
  /// `/.flatpak-info` in the caller's root directory; nil if there is none.
  var flatpak: FlatpakMark?
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
      flatpak = FlatpakMark(info: info, isRecorded: try Self.record(of: info) == content)
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
/// - ``uninspectable(reason:)`` does not count as ``unsandboxed``: the caller may be an app that hides its sandbox.
///
/// The service determines the identity once for each connection. A process cannot leave its sandbox, and a process
/// that enters a sandbox later was unsandboxed when it connected. ``unknownForNow(reason:)`` is not remembered.
enum CallerIdentity: Sendable, Equatable {
  /// An app in a sandbox of a kind that this service knows.
  case sandboxed(AppID)
  case unsandboxed
  /// A caller that this service cannot inspect. The reason continues a sentence that begins with “the caller”.
  case uninspectable(reason: String)
  /// A caller whose inspection failed for now, and may succeed a moment later.
  case unknownForNow(reason: String)
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
