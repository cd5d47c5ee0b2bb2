// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Upgrade and removal of the program while the service runs.
@Suite(.worlds) @GLibActor
struct ReplacementTests {
  private func begin(arguments: [String] = World.Plan().sandboxArguments) async throws -> (World, URL) {
    var plan = World.Plan()
    plan.sandboxArguments = arguments
    plan.service = .none
    let world = try await World.begin(plan)
    let program = world.directories.root.appending(path: "chappied")
    try install(program)
    try world.service.makeActivatable(world.sandbox.addresses, program: program.path)
    return (world, program)
  }

  /// Installs a copy as package managers do: under another name, which is then renamed.
  private func install(_ program: URL) throws {
    let copy = program.appendingPathExtension("new")
    try FileManager.default.copyItem(atPath: Binaries.chappied, toPath: copy.path)
    guard rename(copy.path, program.path) == 0 else { throw UnmetCondition("the program") }
  }

  private func processID(_ caller: Caller) async throws -> pid_t {
    try await caller.connection.processID(of: "org.chappie")
  }

  @Test func anIdleServiceEndsAfterAnUpgradeOrARemoval() async throws {
    let (world, program) = try await begin()
    let caller = try await world.signedInCaller()
    let old = try await processID(caller)
    // A changed time or mode is no upgrade.
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program.path)
    #expect(try await caller.send("hi").contains("hi"))
    #expect(try await processID(caller) == old)
    try install(program)
    try await eventually("the end of the old service") { kill(old, 0) != 0 }
    // The next call starts its successor.
    #expect(try await caller.state() == "signed-in")
    let new = try await processID(caller)
    #expect(new != old)
    try FileManager.default.removeItem(at: program)
    try await eventually("the end of the service") { kill(new, 0) != 0 }
    #expect(try await caller.connection.owner(of: "org.chappie") == nil)
  }

  @Test func aRunningTurnEndsBeforeTheServiceDoes() async throws {
    let (world, program) = try await begin()
    let caller = try await world.signedInCaller()
    let old = try await processID(caller)
    try await world.sandbox.play(
      #"[{"endpoint":"responses","text":"\#(Sandbox.stalledText) then.","hold_after":1}]"#)
    let turn = try await caller.stalledTurn()
    try install(program)
    try await eventually("the log") { world.directories.hasLogged("its program was replaced") }
    try await world.sandbox.release()
    #expect(try await turn.end().answer.text == "Well then.")
    try await eventually("the end of the old service") { kill(old, 0) != 0 }
    #expect(try await caller.send("hi").contains("hi"))
    #expect(try await processID(caller) != old)
  }

  @Test func aSignInEndsBeforeTheServiceDoes() async throws {
    let (world, program) = try await begin(arguments: World.Plan.attended.sandboxArguments)
    let caller = try await world.caller()
    let code = try await caller.startSignIn()
    let old = try await processID(caller)
    try install(program)
    try await eventually("the log") { world.directories.hasLogged("its program was replaced") }
    try await world.sandbox.decide("approve", code)
    try await caller.waitFor("signed-in")
    try await eventually("the end of the old service") { kill(old, 0) != 0 }
    #expect(try await caller.state() == "signed-in")
  }

  /// An upgrade may come between the start of the process and its first look at its file.
  @Test func aReplacementDuringTheStartIsNoticed() async throws {
    let (world, program) = try await begin()
    let copy = program.appendingPathExtension("copy").path
    let line = "cp \(program.path) \(copy); exec 3<\(copy); rm \(copy); exec /proc/self/fd/3"
    let starter = world.directories.root.appending(path: "starter")
    try "#!/bin/sh\n\(line) \"$@\"\n".write(to: starter, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: starter.path)
    try world.service.makeActivatable(world.sandbox.addresses, program: starter.path)
    let caller = try await world.caller()
    #expect(try await caller.state() == "signed-out")
    let first = try await processID(caller)
    try await eventually("the end of the service") { kill(first, 0) != 0 }
  }
}
