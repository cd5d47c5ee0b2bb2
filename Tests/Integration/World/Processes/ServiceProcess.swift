// SPDX-License-Identifier: Apache-2.0

/// The service, `chappied`.
@GLibActor
final class ServiceProcess {
  private let directories: WorldDirectories
  /// Additions to the environment of the world, from its next start on.
  var environment: [String: String]
  private(set) var process: ChildProcess?
  private var arguments: [String] = []
  /// The machine id that the service reads, from its next start on; nil for the real one.
  var machineID: String?
  /// The seconds added to the machine's uptime, from the next start on.
  var extraUptime = 0
  /// A directory that has a disk of its own, with its size, from the next start on.
  var disk: (directory: URL, megabytes: Int)?
  /// The network that it uses, from its next start on.
  private var network: TLSNetwork?

  init(_ directories: WorldDirectories, _ environment: [String: String]) {
    self.directories = directories
    self.environment = environment
  }

  /// Starts the service and waits until it owns its name.
  func start(_ arguments: [String]) async throws {
    self.arguments = arguments
    let process = try launch(arguments)
    self.process = process
    let bus = try await BusConnection.open(address: directories.busAddress)
    try await eventually("the service's name on the bus") {
      guard process.end == nil else { throw UnmetCondition("a service that runs; it wrote \(process.output)") }
      return try await bus.owner(of: "org.chappie") != nil
    }
  }

  /// Starts a service and does not wait.
  func launch(_ arguments: [String], name: String = "chappied") throws -> ChildProcess {
    var command = MemoryAccess.command + [Binaries.chappied] + arguments
    // A library may change the environment of the first program, and a program in Swift then loses its arguments.
    if environment["LD_PRELOAD"] != nil { command = ["env"] + command }
    if let machineID { command = try Self.posing(as: machineID, in: directories) + command }
    if let disk { command = try Self.mounting(disk.directory, disk.megabytes) + command }
    if let network { command = network.trusting + command }
    if extraUptime > 0 { command = ["unshare", "--time", "--boottime", "\(extraUptime)", "--"] + command }
    return try ChildProcess(
      name, command[0], Array(command.dropFirst()), in: directories, environment: environment)
  }

  /// Makes it reach its server through `network`, from its next start on, and starts it.
  ///
  /// - Parameter isTrusted: whether the system's trust store has the server's certificate.
  func start(
    through network: TLSNetwork, _ environment: [String: String] = [:], isTrusted: Bool = true
  ) async throws {
    if isTrusted { self.network = network }
    self.environment.merge(network.environment) { $1 }
    self.environment.merge(environment) { $1 }
    try await start(network.addresses)
  }

  // MARK: Uptime

  nonisolated static let mayShiftItsUptime = Programs.succeeds("unshare", ["--time", "--boottime", "700", "true"])

  // MARK: Machine id

  nonisolated static let mayPoseAsAnotherMachine = Programs.succeeds(
    "unshare", ["--mount", "mount", "--bind", "/dev/null", "/etc/machine-id"])

  /// A command that runs another one with `machineID` in place of the machine's id, in all its files. It uses a mount
  /// namespace only: in a user namespace the service could not identify its callers.
  static func posing(as machineID: String, in directories: WorldDirectories) throws -> [String] {
    let file = directories.root.appending(path: "machine-id")
    try machineID.write(to: file, atomically: true, encoding: .utf8)
    let script = #"for id in /etc/machine-id /var/lib/dbus/machine-id; do mount --bind "$0" "$id"; done; exec "$@""#
    return ["unshare", "--mount", "--", "sh", "-c", script, file.path]
  }

  // MARK: Disks

  nonisolated static let mayHaveADisk = Programs.succeeds(
    "unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"])

  /// A command that runs another one with a disk of its own at `directory`.
  private static func mounting(_ directory: URL, _ megabytes: Int) throws -> [String] {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let script = #"mount -t tmpfs -o "size=$0m" tmpfs "$1" && shift && exec "$@""#
    return ["unshare", "--mount", "--", "sh", "-c", script, String(megabytes), directory.path]
  }

  /// Lets the bus start the service at the first call.
  ///
  /// - Parameter program: another file than the one of the build.
  func makeActivatable(_ arguments: [String], program: String = Binaries.chappied) throws {
    let log = try directories.newLog("activated")
    // The bus gives a started service its own output; a shell redirects it into a log that can be searched.
    let command = try MemoryAccess.line([program] + arguments, in: directories)
    let text = """
      [D-BUS Service]
      Name=org.chappie
      Exec=/bin/sh -c "exec \(command) >>\(log.path) 2>&1"

      """
    try text.write(
      to: directories.activation.appending(path: "org.chappie.service"), atomically: true, encoding: .utf8)
  }

  /// The number of files, sockets and pipes that the service has open. The watch on its program, which begins after a
  /// second, does not count.
  func openDescriptors() throws -> Int {
    guard let process else { throw UnmetCondition("a service that runs") }
    let folder = "/proc/\(process.id)/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
      return target?.hasSuffix("inotify") != true
    }
  }

  /// Ends the service and starts it again with the same arguments.
  func restart() async throws {
    await end()
    try await start(arguments)
  }

  /// Ends the service as a crash does.
  func crash() async throws {
    process?.send(SIGKILL)
    _ = try await process?.waitForEnd()
    acceptEnd()
  }

  /// Accepts that the service ends without success.
  func acceptEnd() {
    process = nil
  }

  /// Ends the service. A crash, now or earlier, is an issue.
  func end() async {
    await process?.terminate()
    if let crash = process?.crash { Issue.record("chappied ended with \(crash)") }
    process = nil
  }
}

extension BusConnection {
  /// The unique name of the owner of `name`; nil when there is none.
  func owner(of name: String) async throws -> String? {
    do {
      return try await call(DBus.name, DBus.path, DBus.name, "GetNameOwner", .tuple(name)).member(0, "owner")
    } catch let error as GLibError where error.busName == "org.freedesktop.DBus.Error.NameHasNoOwner" {
      return nil
    }
  }

  /// The process of the owner of `name`.
  func processID(of name: String) async throws -> pid_t {
    let reply = try await call(DBus.name, DBus.path, DBus.name, "GetConnectionUnixProcessID", .tuple(name))
    return pid_t(bitPattern: try reply.member(0, "process", as: UInt32.self))
  }
}

/// The bus itself, as a peer.
enum DBus {
  static let name = "org.freedesktop.DBus"
  static let path = ObjectPath.root.appending("org").appending("freedesktop").appending("DBus")
}
