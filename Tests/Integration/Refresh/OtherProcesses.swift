// SPDX-License-Identifier: Apache-2.0

extension World {
  /// Starts a program that uses the library in its own process and sends `text` with it.
  func startLibraryHost(_ text: String) throws -> ChildProcess {
    try startLibraryHost("send", text)
  }

  /// Starts a program that uses the library in its own process.
  ///
  /// - Parameter application: the owner of its slots and stores: empty for the desktop user, `-` for the program
  /// itself.
  func startLibraryHost(
    _ verb: String, _ argument: String, as application: String = "", account: String = "default",
    environment: [String: String] = [:]
  ) throws -> ChildProcess {
    let process = try ChildProcess(
      "library-host", Binaries.libraryHost, [sandbox.issuer, sandbox.backend, verb, argument, application, account],
      in: directories, environment: environment)
    adopt(process)
    return process
  }

  /// The output of such a program, which must succeed.
  @discardableResult
  func library(
    _ verb: String, _ argument: String = "now", as application: String = "", account: String = "default",
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> String {
    let host = try startLibraryHost(verb, argument, as: application, account: account)
    let end = try await host.waitForEnd()
    #expect(end == .exit(0), "\(host.output)", sourceLocation: sourceLocation)
    return host.output
  }
}

/// Another login of the same user: a second bus with a keyring and a service of its own, on the same home and runtime
/// directory.
@GLibActor
final class SecondLogin {
  private let world: World
  private let busAddress: String

  /// Starts all of it.
  init(_ world: World) async throws {
    self.world = world
    busAddress = "unix:path=\(world.directories.runtime.path)/bus-2"
    let control = world.directories.runtime.appending(path: "keyring-2")
    try FileManager.default.createDirectory(
      at: control, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    try start("dbus-daemon", ["--session", "--nofork", "--nopidfile", "--address=\(busAddress)"])
    let bus = try await openBus()
    try start(
      "gnome-keyring-daemon",
      ["--unlock", "--foreground", "--components=secrets", "--control-directory=\(control.path)"], input: "password")
    try await eventually("the second keyring") { try await bus.owner(of: "org.freedesktop.secrets") != nil }
    try start(Binaries.chappied, world.sandbox.addresses)
    try await eventually("the second service") { try await bus.owner(of: "org.chappie") != nil }
  }

  func caller() async throws -> Caller {
    try await Caller(busAddress)
  }

  private func openBus() async throws -> BusConnection {
    try await eventually("the second bus") { (try? await BusConnection.open(address: busAddress)) != nil }
    return try await BusConnection.open(address: busAddress)
  }

  private func start(_ program: String, _ arguments: [String], input: String = "") throws {
    let environment = ["DBUS_SESSION_BUS_ADDRESS=\(busAddress)"]
    world.adopt(
      try ChildProcess(
        "second-login", "env", environment + [program] + arguments, in: world.directories, input: input))
  }
}
