// SPDX-License-Identifier: Apache-2.0

/// A sandbox as Flatpak builds it: bubblewrap gives it a file system, a user namespace and process ids of its own, with
/// `/.flatpak-info` at its root and the same file in the user's runtime directory outside.
///
/// An app cannot build such a sandbox for itself. These tests can because they run outside all sandboxes: a program
/// there can pose as any app, and no service in its user's session can tell.
@GLibActor
struct AppSandbox {
  /// The content of `/.flatpak-info`.
  enum Mark {
    case none
    case file(String)
    /// A link to a file elsewhere in the sandbox.
    case link(String)
  }

  private static var instances = 0

  let directories: WorldDirectories
  let mark: Mark
  var sharesUserNamespace = false
  /// Directories that are empty inside the sandbox.
  var hides: [URL] = []

  /// A sandbox of `app` as Flatpak starts it.
  init(app: String, in directories: WorldDirectories) throws {
    Self.instances += 1
    let instance = String(Self.instances)
    let info = Self.info(app: app, instance: instance)
    try Self.record(info, instance: instance, in: directories)
    self.init(.file(info), in: directories)
  }

  /// A sandbox that another program than Flatpak builds.
  init(_ mark: Mark, in directories: WorldDirectories) {
    self.mark = mark
    self.directories = directories
  }

  static func info(app: String, instance: String) -> String {
    """
    [Application]
    name=\(app)
    runtime=runtime/org.example.Platform/x86_64/1

    [Instance]
    instance-id=\(instance)
    session-bus-proxy=true

    """
  }

  /// Writes the files that Flatpak writes outside the sandbox for a running instance.
  static func record(_ info: String, instance: String, in directories: WorldDirectories) throws {
    let directory = directories.runtime.appending(path: ".flatpak/\(instance)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try info.write(to: directory.appending(path: "info"), atomically: true, encoding: .utf8)
  }

  // MARK: Running programs

  /// Runs a program in the sandbox.
  func run(_ program: String, _ arguments: String...) async throws -> Output {
    try await Output.of("/bin/sh", command(program, arguments), in: directories)
  }

  /// Calls the service with `gdbus`, such as `org.chappie.Client.Send`.
  func gdbus(_ method: String, _ arguments: String..., at path: ObjectPath = .chappie) async throws -> Output {
    let call = ["call", "--session", "--dest", "org.chappie", "--object-path", path.string, "--method", method]
    return try await Output.of("/bin/sh", try command("gdbus", call + arguments), in: directories)
  }

  /// A program in the sandbox. Its calls go through a proxy there, like the calls of Flatpak's apps.
  func caller(in world: World) async throws -> Caller {
    try await Caller(try await world.proxy { try ("/bin/sh", command("xdg-dbus-proxy", $0)) })
  }

  // MARK: The sandbox

  /// The arguments of a shell that becomes bubblewrap and passes the mark as descriptor 9.
  private func command(_ program: String, _ arguments: [String]) throws -> [String] {
    let file = try directories.newLog("flatpak-info")
    var marking: [String] = []
    switch mark {
    case .none: break
    case .file(let text):
      try text.write(to: file, atomically: true, encoding: .utf8)
      marking = ["--file", "9", "/.flatpak-info"]
    case .link(let target): marking = ["--symlink", target, "/.flatpak-info"]
    }
    let namespaces = ["--unshare-pid", "--die-with-parent"] + (sharesUserNamespace ? [] : ["--unshare-user"])
    return ["-c", "exec bwrap \"$@\" 9<'\(file.path)'", "sh"] + namespaces + Self.fileSystem
      + hides.flatMap { ["--tmpfs", $0.path] } + marking + [
        "--", program,
      ]
      + arguments
  }

  /// Binds each entry of the root separately, because the machine's own root directory has no place for the mark.
  private static let fileSystem: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/")) ?? []
    return names.sorted().flatMap { name -> [String] in
      let path = "/\(name)"
      if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) {
        return ["--symlink", target, path]
      }
      var isDirectory: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue else {
        return []
      }
      return switch name {
      case "proc", "dev": ["--\(name)", path]
      case "run", "tmp", "var": ["--bind", path, path]
      default: ["--ro-bind", path, path]
      }
    }
  }()

  // MARK: Requirements

  /// The reason that sandboxes cannot be made here; nil where they can. They need user namespaces, which some
  /// containers and hardened kernels forbid.
  nonisolated static let obstacle: String? = {
    for program in ["bwrap", "xdg-dbus-proxy"] where !Programs.exist(program) { return "\(program) is not installed" }
    let arguments = ["--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "true"]
    return Programs.succeeds("bwrap", arguments) ? nil : "bubblewrap can make no sandbox here"
  }()
}

extension Trait where Self == ConditionTrait {
  /// Only where sandboxes can be made.
  static var sandboxes: Self { .enabled(if: AppSandbox.obstacle == nil, Comment(rawValue: AppSandbox.obstacle ?? "")) }
}

/// Programs of this machine.
enum Programs {
  static func exist(_ name: String) -> Bool {
    succeeds("sh", ["-c", "command -v \(name)"])
  }

  static func succeeds(_ name: String, _ arguments: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [name] + arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      return false
    }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}

extension World {
  /// The address of a proxy of the bus, which the command for its arguments starts.
  func proxy(_ command: ([String]) throws -> (program: String, arguments: [String])) async throws -> String {
    let socket = try directories.newLog("proxy").deletingPathExtension().path
    let (program, arguments) = try command([directories.busAddress, socket])
    let process = try ChildProcess("dbus-proxy", program, arguments, in: directories)
    adopt(process)
    try await eventually("the proxy") {
      guard process.end == nil else { throw UnmetCondition("a proxy; it wrote \(process.output)") }
      return (try? await BusConnection.open(address: "unix:path=\(socket)")) != nil
    }
    return "unix:path=\(socket)"
  }

  /// The address of a proxy that lets its programs talk to these names alone, as Flatpak's does.
  func proxy(talkingTo names: String...) async throws -> String {
    try await proxy { ("xdg-dbus-proxy", $0 + ["--filter"] + names.map { "--talk=\($0)" }) }
  }

  /// A program in a sandbox of `app`.
  func caller(app: String) async throws -> Caller {
    try await AppSandbox(app: app, in: directories).caller(in: self)
  }

  /// An app in a sandbox that is signed in, and its client.
  func signedInApp(notifying: Bool = true) async throws -> (app: Caller, client: ObjectPath) {
    let app = try await caller(app: "org.example.App")
    try await app.signIn(notifying: notifying, at: app.open("Session"))
    return (app, try await app.open("Client"))
  }
}
