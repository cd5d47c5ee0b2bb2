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
  case process(Process)
  /// All callers that cannot be inspected together.
  case uninspectable

  /// A process. The kernel can give its number to another process later.
  struct Process: Hashable, Sendable {
    let id: Int32
    /// The start time in the kernel's ticks since boot.
    let startTime: UInt64
  }

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

extension Application: LogValue {
  var logText: String { description }
}

extension Application: CustomStringConvertible {
  var description: String {
    switch self {
    case .sandboxed(let app): app.text
    case .process(let process): "process \(process.id) of \(process.startTime)"
    case .uninspectable: "the callers that cannot be inspected"
    }
  }
}
