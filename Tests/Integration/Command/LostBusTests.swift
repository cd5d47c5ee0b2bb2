// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The service begins and ends, and the bus ends. Each world checks at its end that no library complained in a log.
@Suite(.worlds) @GLibActor
struct LostBusTests {
  @Test func commandsEndWithTheServiceAndWithTheBus() async throws {
    let (world, _) = try await World.signedIn()
    for isBus in [false, true] {
      try await world.sandbox.stall()
      let ask = try world.begin("ask", "Go on")
      let signIn = try world.begin("sign-in", "--browser", "--no-open")
      let monitor = try world.begin("monitor")
      try await eventually("an answer") { ask.output.contains(Sandbox.stalledText) }
      try await eventually("a page") { signIn.output.contains("code_challenge=") }
      try await eventually("a line") { monitor.output.contains("\n") }
      let sentence =
        isBus
        ? "chappie: The session bus is gone: try again in a session.\n"
        : "chappie: The service ended before it answered: try again, and see journalctl --user -u chappie.\n"
      var outputs = [ask, signIn]
      if isBus {
        let kill = TerminalStep.runs("kill -KILL \(try #require(world.bus.id))")
        let steps: [TerminalStep] = [
          .prompt, kill, .types("one\(TerminalStep.enter)"), .sees(sentence.trimmingCharacters(in: .newlines)),
        ]
        let chat = try await world.chappie("chat", at: steps)
        #expect(chat.status == 5 && !chat.text.contains("CRITICAL"), "\(chat.text)")
        outputs.append(monitor)
      } else {
        world.service.process?.send(SIGKILL)
      }
      for process in outputs {
        #expect(try await process.waitForEnd() == .exit(isBus ? 5 : 1))
        #expect(process.output.contains(sentence) && !process.output.contains("CRITICAL"), "\(process.output)")
      }
      #expect(ask.output == "\(Sandbox.stalledText)\n\(sentence)")
      if !isBus {
        await monitor.terminate()
        try await world.service.restart()
      }
    }
    let process = try #require(world.service.process)
    #expect(try await process.waitForEnd() == .exit(69))
    world.service.acceptEnd()
  }

  /// Many new callers are waiting for the service to watch them, and replies are unread.
  @Test func theServiceReportsALostBus() async throws {
    let (world, _) = try await World.signedIn()
    let process = try #require(world.service.process)
    process.send(SIGSTOP)
    let address = world.directories.busAddress
    for _ in 0..<20 {
      let stranger = try await BusConnection.open(address: address)
      Task.onGLib { try await stranger.call("org.chappie", .chappie, "org.freedesktop.DBus.Peer", "Ping") }
      Task.onGLib {
        try await stranger.call(
          "org.chappie", .chappie, "org.freedesktop.DBus.Properties", "GetAll", .tuple("org.chappie.Session"))
      }
      try await stranger.flush()
    }
    try await world.bus.kill()
    process.send(SIGCONT)
    #expect(try await process.waitForEnd() == .exit(69))
    #expect(process.output.contains("The connection to the session bus is lost"))
    #expect(!process.output.contains("GLib-GIO-CRITICAL"), "\(process.output)")
    world.service.acceptEnd()
  }

  /// The first call of a session.
  @Test func theServiceIsStartedAndWaitedFor() async throws {
    var plan = World.Plan.attended
    plan.service = .activatable
    let world = try await World.begin(plan)
    let signIn = try world.begin("sign-in", "--device-code", "--no-open")
    try await eventually("a code") { signIn.output.contains("Enter") }
    let code = try #require(signIn.output.firstMatch(of: /Enter +(\S+)/)).1
    try await world.sandbox.decide("approve", String(code))
    #expect(try await signIn.waitForEnd() == .exit(0), "\(signIn.output)")
    #expect(signIn.output.contains("Signed in as ada@example.com"))

    let caller = try await world.caller()
    kill(try await caller.connection.processID(of: "org.chappie"), SIGKILL)
    try await eventually("the end of the service") { try await caller.connection.owner(of: "org.chappie") == nil }
    try await world.chappie("ask", "--continue", "hello").expect(0, "You said: “hello”")
  }
}
