// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// The sandbox in which a program reads a document that may be hostile.
///
/// Bubblewrap gives the program namespaces of its own, which have no network, no bus and no other process, and a root
/// directory that has the system's programs, libraries and fonts, and nothing of the user. It can write no file there
/// and start no process. The document is its standard input, a file in memory.
@GLibActor
package enum DocumentSandbox {
  /// The name by which Poppler's programs read their standard input as a file.
  nonisolated static let input = "fd://0"
  /// The address space of a program, in bytes.
  nonisolated static let memoryLimit = 512 << 20
  /// The processor time of a program, in seconds.
  nonisolated static let processorTime = 10

  /// What keeps documents from being read on this machine.
  package enum Obstacle: Equatable, Sendable {
    /// A Debian package is not installed.
    case missing(package: String)
    /// The programs of a Debian package do not run, as when one of their libraries is missing.
    case broken(package: String)
    /// Bubblewrap can make no sandbox.
    case noSandbox
  }

  /// Whether the user's instance of systemd starts the sandbox, because this process cannot. The unit of `chappied`
  /// forbids namespaces and mounts, also to its children.
  private static var usesUserManager = false

  private nonisolated static let directory = "/usr/bin/"
  private nonisolated static let poppler = "poppler-utils"
  private nonisolated static let packages = [
    "bwrap": "bubblewrap", "prlimit": "util-linux", "setsid": "util-linux", "pdfinfo": poppler, "pdftotext": poppler,
    "pdftoppm": poppler,
  ]

  /// The Debian package of a program that is not installed; nil if all are.
  nonisolated static var missingPackage: String? {
    packages.keys.sorted().first { !Files.exists(directory + $0) }.flatMap { packages[$0] }
  }

  /// Looks for an obstacle by a program that starts in the sandbox and reads no document; nil if there is none.
  ///
  /// - Throws: ``GLibError``, `FileError`, `CancellationError`.
  package static func obstacle() async throws -> Obstacle? {
    if let missingPackage { return .missing(package: missingPackage) }
    let nothing = try Descriptor.sealed([])
    let outcome = try await run(["pdfinfo", "-v"], on: nothing, outputLimit: 4 << 10, deadline: .seconds(5))
    return obstacle(in: outcome) ?? (outcome.end == .succeeded ? nil : .broken(package: poppler))
  }

  /// The obstacle that kept a program from running; nil if it ran.
  nonisolated static func obstacle(in outcome: FileFilter.Outcome) -> Obstacle? {
    guard outcome.end == .failed, outcome.output.isEmpty else { return nil }
    // The loader's messages. They begin with the program's path, so that no document can write one.
    let package = packages.first { program, _ in
      ["error while loading shared libraries", "symbol lookup error"].contains {
        outcome.errors.starts(with: "\(directory)\(program): \($0): ".utf8)
      }
    }
    if let package { return .broken(package: package.value) }
    return ["bwrap: ", "Failed to "].contains { outcome.errors.starts(with: $0.utf8) } ? .noSandbox : nil
  }

  /// Runs one of the system's programs in the sandbox.
  ///
  /// - Parameter program: its name in `/usr/bin`, and its arguments.
  /// - Throws: ``GLibError``, `CancellationError`.
  static func run(
    _ program: [String], on document: Descriptor, outputLimit: Int, deadline: Duration
  ) async throws -> FileFilter.Outcome {
    let end = ContinuousClock.now + deadline
    func run(_ unit: String?) async throws -> FileFilter.Outcome {
      let deadline = end - .now
      return try await FileFilter.run(
        command(program, unit: unit, deadline: deadline), input: document, outputLimit: outputLimit,
        deadline: deadline,
        // Killing the child does not end the unit.
        stop: unit.map { [directory + "systemctl", "--user", "--quiet", "kill", "--signal=KILL", $0] })
    }
    let unit = "chappie-document-\(UInt64.random(in: 0 ... .max)).service"
    if usesUserManager { return try await run(unit) }
    let outcome = try await run(nil)
    guard obstacle(in: outcome) == .noSandbox, Files.exists(directory + "systemd-run") else { return outcome }
    let other = try await run(unit)
    usesUserManager = obstacle(in: other) != .noSandbox
    return other
  }

  /// The whole command for a program.
  ///
  /// - Parameter unit: the unit of the user's instance of systemd that runs it; nil for a child of this process.
  nonisolated static func command(_ program: [String], unit: String?, deadline: Duration) -> [String] {
    let limits = [
      directory + "prlimit", "--as=\(memoryLimit)", "--cpu=\(processorTime)", "--fsize=0", "--nproc=1", "--core=0",
      "--nofile=64", "--",
    ]
    let sandbox = [directory + "bwrap"] + isolation + fileSystem + ["--"] + limits
    let rest = [directory + (program.first ?? "")] + program.dropFirst()
    // In a process group of its own: when it is killed at its start, the child of bubblewrap would wait for it for good.
    guard let unit else { return [directory + "setsid"] + sandbox + rest }
    let manager = [
      directory + "systemd-run", "--user", "--pipe", "--wait", "--collect", "--quiet", "--unit=\(unit)",
      "--description=Reads a document for Chappie", "--property=RuntimeMaxSec=\(max(1, deadline.wholeMilliseconds))ms",
      "--property=MemoryMax=\(memoryLimit)", "--property=TasksMax=16", "--",
    ]
    return manager + sandbox + rest
  }

  private nonisolated static let isolation = [
    "--unshare-all", "--unshare-user", "--disable-userns", "--uid", "65534", "--gid", "65534",
    "--hostname", "document", "--cap-drop", "ALL", "--die-with-parent", "--new-session",
    "--clearenv", "--setenv", "LC_ALL", "C.UTF-8",
  ]

  private nonisolated static let fileSystem =
    [
      "--ro-bind", "/usr", "/usr", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
    ]
    // What the loader and fontconfig need.
    + ["/etc/ld.so.cache", "/etc/fonts", "/var/cache/fontconfig"].flatMap { ["--ro-bind-try", $0, $0] }
    + ["--remount-ro", "/", "--chdir", "/"]
}
