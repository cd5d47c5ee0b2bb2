import GLibBridge

/// A program as limits count it: all that it has through all of its connections counts together.
///
/// A sandboxed app is its id, for nothing that it starts leaves its sandbox. Outside of sandboxes it is the process:
/// what the kernel tells of it cannot be chosen, while a cgroup can (a program of the user may start units as it
/// likes), and without systemd one cgroup holds the whole desktop. A program outside that starts others to get more is
/// bounded by what all programs outside get together; so is a shell that starts one after another.
enum Application: Hashable, Sendable {
  case sandboxed(AppID)
  case process(Process)
  /// All callers that cannot be inspected together.
  case uninspectable

  /// A process. The number alone passes to another one later.
  struct Process: Hashable, Sendable {
    let id: Int32
    /// When it started, in the kernel's ticks since the machine did.
    let startTime: UInt64
  }

  /// The applications that share one part of what there is.
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
