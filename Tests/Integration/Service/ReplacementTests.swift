// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Glibc
import Testing

/// Upgrade and removal of the program while the service runs.
@Suite(.worlds) @GLibActor
struct ReplacementTests {
  private func with(
    arguments: [String] = World.Plan().sandboxArguments, _ body: @GLibActor (World, Program) async throws -> Void
  ) async throws {
    var plan = World.Plan()
    plan.sandboxArguments = arguments
    plan.service = .none
    try await World.with(plan) { world in
      let program = Program(world.directories.root.appending(path: "chappied"))
      try program.install()
      try world.service.makeActivatable(world.sandbox.addresses, program: program.file.path)
      try await body(world, program)
    }
  }

  /// The installed program.
  private struct Program {
    let file: URL

    init(_ file: URL) { self.file = file }

    /// Installs a copy as package managers do: under another name, which is then renamed.
    func install() throws {
      let copy = file.appendingPathExtension("new")
      try FileManager.default.copyItem(atPath: Binaries.chappied, toPath: copy.path)
      guard rename(copy.path, file.path) == 0 else { throw UnmetCondition("the program") }
    }
  }

  private func processID(_ caller: Caller) async throws -> pid_t {
    try await caller.connection.processID(of: "org.chappie")
  }

  @Test func anIdleServiceEndsAfterAnUpgradeAndTheNextCallStartsItsSuccessor() async throws {
    try await with { world, program in
      let caller = try await world.signedInCaller()
      let old = try await processID(caller)
      try program.install()
      try await eventually("the end of the old service") { kill(old, 0) != 0 }
      #expect(try await caller.state() == "signed-in")
      #expect(try await processID(caller) != old)
    }
  }

  @Test func aRunningTurnEndsBeforeTheServiceDoes() async throws {
    try await with { world, program in
      let caller = try await world.signedInCaller()
      let old = try await processID(caller)
      // The service notices the upgrade after a second, in the middle of the answer.
      try await world.sandbox.play(
        #"[{"endpoint":"responses","text":"\#(Sandbox.stalledText) then.","delta_delay_ms":3000}]"#)
      let turn = try await caller.stalledTurn()
      try program.install()
      #expect(try await turn.end().answer.text == "Well then.")
      try await eventually("the end of the old service") { kill(old, 0) != 0 }
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await processID(caller) != old)
    }
  }

  @Test func aSignInEndsBeforeTheServiceDoes() async throws {
    try await with(arguments: World.Plan.attended.sandboxArguments) { world, program in
      let caller = try await world.caller()
      let code = try await caller.startSignIn()
      let old = try await processID(caller)
      try program.install()
      try await eventually("the log") { world.directories.hasLogged("its program was replaced") }
      try await world.sandbox.decide("approve", code)
      try await caller.waitFor("signed-in")
      try await eventually("the end of the old service") { kill(old, 0) != 0 }
      #expect(try await caller.state() == "signed-in")
    }
  }

  @Test func aRemovedServiceEnds() async throws {
    try await with { world, program in
      let caller = try await world.signedInCaller()
      let old = try await processID(caller)
      try FileManager.default.removeItem(at: program.file)
      try await eventually("the end of the service") { kill(old, 0) != 0 }
      #expect(try await caller.connection.owner(of: "org.chappie") == nil)
    }
  }

  /// An upgrade may come between the start of the process and its first look at its file.
  @Test func aReplacementDuringTheStartIsNoticed() async throws {
    try await with { world, program in
      let copy = program.file.appendingPathExtension("copy").path
      let line = "cp \(program.file.path) \(copy); exec 3<\(copy); rm \(copy); exec /proc/self/fd/3"
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

  /// A changed time or mode is no upgrade.
  @Test func aTouchedFileIsNoReplacement() async throws {
    try await with { world, program in
      let caller = try await world.signedInCaller()
      let old = try await processID(caller)
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program.file.path)
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await processID(caller) == old)
      try program.install()
      try await eventually("the end of the service") { kill(old, 0) != 0 }
    }
  }
}
