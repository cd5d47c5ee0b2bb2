// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// A program as the limits count it: all of its connections count together.
///
/// The id identifies a sandboxed app, since its child processes stay in the sandbox. Outside of sandboxes the process
/// counts, since a program cannot forge it. A cgroup would not do: a program of the user can start units as it likes,
/// and without systemd one cgroup holds the whole desktop. A program that starts others to get more, or a shell that
/// starts one after another, is bounded by the limit of all unsandboxed programs together.
enum Application: Hashable, Sendable {
  case sandboxed(AppID)
  /// The kernel can give the number of a process to another one later.
  ///
  /// - Parameter startTime: in the kernel's ticks since boot.
  case process(id: Int32, startTime: UInt64)
  /// All callers that cannot be inspected together.
  case uninspectable

  /// The applications that share one bound.
  enum Kind: Hashable, Sendable, CaseIterable {
    case sandboxed, unsandboxed, uninspectable
  }

  var kind: Kind {
    switch self {
    case .sandboxed: .sandboxed
    case .process: .unsandboxed
    case .uninspectable: .uninspectable
    }
  }
}

extension Application: CustomStringConvertible, LogValue {
  var logText: String { description }

  var description: String {
    switch self {
    case .sandboxed(let app): app.text
    case .process(let id, let startTime): "process \(id) of \(startTime)"
    case .uninspectable: "the callers that cannot be inspected"
    }
  }
}

/// The id of a sandboxed app: a Flatpak's, such as `org.example.App`, or `snap.` and the name of a snap.
///
/// It is safe in a path, in an attribute of the keyring and in a key file: at most 255 bytes of ASCII letters, digits,
/// `.`, `-` and `_`, with no empty part between dots. A Flatpak's id has three parts or more and a snap's two, so
/// neither can pass for the other.
struct AppID: Hashable, Sendable, CustomStringConvertible {
  private static let snapPrefix = "snap."

  let text: String

  var description: String { text }

  var isSnap: Bool { text.hasPrefix(Self.snapPrefix) && !text.dropFirst(Self.snapPrefix.count).contains(".") }

  /// An id as access groups name it; nil if it is invalid.
  init?(_ text: String) {
    if text.hasPrefix(Self.snapPrefix), let snap = AppID(snap: String(text.dropFirst(Self.snapPrefix.count))) {
      self = snap
    } else {
      self.init(flatpak: text)
    }
  }

  /// Nil unless `id` is a Flatpak id: a well-known bus name of three elements or more.
  init?(flatpak id: String) {
    guard BusName.isWellKnown(id), id.utf8.count(where: { $0 == UInt8(ascii: ".") }) >= 2 else { return nil }
    text = id
  }

  /// Nil unless `name` is a snap's name: 1 to 40 of `a` to `z`, `0` to `9` and `-`. A parallel instance has a suffix:
  /// `_` and 1 to 10 of `a` to `z` and `0` to `9`.
  init?(snap name: String) {
    let parts = name.utf8.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
    guard let first = parts.first, (1...40).contains(first.count), parts.count <= 2,
      first.allSatisfy({ Self.isLowercaseOrDigit($0) || $0 == UInt8(ascii: "-") }),
      parts.dropFirst().allSatisfy({ (1...10).contains($0.count) && $0.allSatisfy(Self.isLowercaseOrDigit) })
    else { return nil }
    text = Self.snapPrefix + name
  }

  private static func isLowercaseOrDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}

extension StringProtocol {
  /// Whether this is a name of ASCII letters, digits, `-` and `_`, with at least one of them.
  var isPlainName: Bool {
    !isEmpty && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
  }
}
