// SPDX-License-Identifier: Apache-2.0

/// The service's memory is closed to all other programs, even of the same user.
@Suite(.worlds) @GLibActor
struct OtherProgramsTests {
  /// The program runs without root's right to inspect every process.
  private static let asAnybody =
    geteuid() == 0 ? ["--bounding-set", "-all", "--inh-caps", "-all", "--"] : ["--inh-caps", "-all", "--"]
  private static let files = ["mem", "environ", "fd/0", "maps", "auxv", "root", "cwd", "exe"]

  /// Returns the `files` of a process that another program of the same user can open or follow.
  private func open(_ world: World, _ process: pid_t) async throws -> [String] {
    let script = """
      import os, sys
      for name in sys.argv[2:]:
          path = f"/proc/{sys.argv[1]}/{name}"
          try:
              if os.path.islink(path): os.readlink(path)
              elif name == "mem": open(path, "rb").close()
              elif not open(path, "rb").read(1): continue
              print(name)
          except OSError: pass
      """
    let output = try await Output.of(
      "/usr/bin/setpriv", Self.asAnybody + ["/usr/bin/python3", "-c", script, "\(process)"] + Self.files,
      in: world.directories)
    #expect(output.status == 0, "\(output.text)")
    return output.text.split(separator: "\n").map(String.init)
  }

  /// Runs the command as an ordinary program, which the service can inspect.
  private func ask(_ world: World, _ arguments: String...) async throws -> Output {
    try await Output.of("/usr/bin/setpriv", Self.asAnybody + [Binaries.chappie] + arguments, in: world.directories)
  }

  @Test func anotherProgramOfTheUserCannotInspectTheService() async throws {
    let world = try await World.begin(World.Plan(service: .none))
    let service = try ChildProcess(
      "chappied", "/usr/bin/setpriv", Self.asAnybody + [Binaries.chappied] + world.sandbox.addresses,
      in: world.directories)
    world.adopt(service)
    // The service works: the keyring, the servers, the bus and its callers need no access to its memory.
    try await eventually("an answer") {
      try await ask(world, "status").text == "Signed out: run chappie sign-in.\n"
    }
    #expect(try await ask(world, "sign-in", "--device-code", "--no-open").text.contains("Signed in as"))
    #expect(try await ask(world, "ask", "Hello").text.contains("Hello"))
    #expect(try await open(world, service.id).isEmpty)
    // The same program can inspect any other program.
    let other = try ChildProcess(
      "sleep", "/usr/bin/setpriv", Self.asAnybody + ["/usr/bin/sleep", "1000"], in: world.directories)
    world.adopt(other)
    try await eventually("the files of another program") { try await open(world, other.id) == Self.files }
    // Files about its state stay open to everyone.
    let status = try String(contentsOfFile: "/proc/\(service.id)/status", encoding: .utf8)
    #expect(status.contains("chappied"))
  }
}
