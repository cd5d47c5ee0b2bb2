// SPDX-License-Identifier: Apache-2.0

/// `chappie monitor`: its output, and its end when its reader ends.
@Suite(.worlds) @GLibActor
struct MonitorTests {
  /// A line of `chappie monitor --usage --json`.
  private struct Line: Decodable {
    let text: String
    let alt: String
    let tooltip: String
    let primary: Window?

    struct Window: Decodable {
      let usedPercent: Double
    }
  }

  private func lines(_ process: ChildProcess) throws -> [Line] { try Line.lines(process.output) }

  // MARK: The sign-in

  @Test func aSignInInTheBrowserHasStatesOfItsOwn() async throws {
    let world = try await World.begin()
    let caller = try await world.caller()
    let monitor = try world.begin("monitor", "--json")
    let usage = try world.begin("monitor", "--usage", "--json")
    let quiet: VariantDictionary = ["open": false]
    let page: String = try await caller.call("Session.StartBrowserSignIn", quiet).member(0, "authorization_uri")
    try await eventually("the wait") { try lines(monitor).last?.alt == "waiting-for-browser" }
    #expect(try lines(monitor).last?.text == "approve in the browser")
    #expect(try lines(monitor).last?.tooltip == "Signing in: continue in your browser")
    // The keys of the issuer are asked for before the exchange, and once more while the state is `verifying`, because
    // the one that signs is missing.
    try await world.sandbox.play(#"[{"endpoint":"jwks","body":{"keys":[]}},{"endpoint":"jwks","hold":true}]"#)
    async let returned = world.user.finish(page)
    try await eventually("the check") { try lines(monitor).contains { $0.alt == "verifying" } }
    try await eventually("the second question") { try await world.sandbox.state().requests["jwks"] == 2 }
    try await world.sandbox.release()
    _ = try await returned
    try await eventually("the sign-in") { try lines(monitor).last?.alt == "signed-in" }
    try await eventually("the plan") { try lines(usage).last?.alt == "enabled" }

    try await world.sandbox.setPlanUse("limit-reached")
    _ = try await refusal { try await caller.send("hi") }
    try await eventually("the limit") { try lines(monitor).last?.alt == "limit-reached" }
    try await eventually("the limit in the usage") { try lines(usage).last?.alt == "limit-reached" }
    #expect(try lines(usage).last?.tooltip.hasSuffix("https://chatgpt.com/settings/usage") == true)
    #expect(try await world.sandbox.state().requests["usage"] ?? 0 == 0)
    await monitor.terminate()
    await usage.terminate()
  }

  // MARK: Usage

  @Test func usageIsPrintedWithoutPolling() async throws {
    let (world, caller) = try await World.signedIn()
    let monitor = try world.begin("monitor", "--usage", "--json")
    try await eventually("a line") { try lines(monitor).count == 1 }
    let first = try #require(try lines(monitor).first?.primary)
    #expect(try lines(monitor).last?.text == "\(Int(first.usedPercent))%")
    _ = try await caller.send("hi")
    try await eventually("another line") { try lines(monitor).count == 2 }
    #expect(try #require(try lines(monitor).last?.primary).usedPercent > first.usedPercent)
    // The service asked the backend once, before it knew the usage.
    #expect(try await world.sandbox.state().requests["usage"] == 1)
    let follower = try world.begin("usage", "--follow", "--json")
    try await eventually("a line") { try lines(follower).last?.text.hasSuffix("%") == true }
    _ = try await caller.send("hi")
    try await eventually("another line") { try lines(follower).count == 2 }
    await follower.terminate()

    let bar = try world.begin("monitor", "--i3bar")
    try await eventually("a block") { bar.output.hasSuffix("],\n") }
    try await caller.call("Session.SignOut")
    try await eventually("the sign-out") { try lines(monitor).last?.alt == "unknown" }
    #expect(try lines(monitor).last?.tooltip == "Signed out: run chappie sign-in")
    try await eventually("another block") { bar.output.contains("Signed out") && bar.output.hasSuffix("],\n") }
    try expectBlocks(bar.output)
    await bar.terminate()
    try await caller.signIn()
    try await eventually("the usage again") { try lines(monitor).last?.text.hasSuffix("%") == true }
    await monitor.terminate()
  }

  /// i3bar and swaybar read an array without an end, with a comma behind each of its arrays.
  private func expectBlocks(_ text: String) throws {
    #expect(text.hasPrefix("{\"version\":1}\n[\n"))
    struct Block: Decodable {
      let fullText: String
      let urgent: Bool
    }
    let array = text.split(separator: "\n").dropFirst().joined().dropLast() + "]"
    let blocks = try [[Block]](snakeCase: array)
    #expect(
      blocks.map(\.first?.fullText) == ["Signed in as ada@example.com (plus)", "Signed out: run chappie sign-in"])
    #expect(blocks.allSatisfy { $0.first?.urgent == false })
  }

  @Test func usageResumesAfterTheServiceRestarts() async throws {
    let (world, _) = try await World.signedIn()
    let monitor = try world.begin("monitor", "--usage")
    try await eventually("a line") { monitor.output.hasPrefix("Plus plan; 5-hour limit: ") }
    await world.service.end()
    try await eventually("the end") { monitor.output.hasSuffix("The service is not running\n") }
    try await world.service.restart()
    try await eventually("the usage again") {
      monitor.output.split(separator: "\n").last?.hasPrefix("Plus plan; 5-hour limit: ") == true
    }
    await monitor.terminate()
  }

  @Test func anUnavailableUsageIsReported() async throws {
    let (world, _) = try await World.signedIn()
    await world.sandbox.end()
    let monitor = try world.begin("monitor", "--usage", "--json")
    try await eventually("a line") { try lines(monitor).count == 1 }
    #expect(try lines(monitor)[0].alt == "unknown")
    #expect(try lines(monitor)[0].tooltip.contains("could not be used"))
    await monitor.terminate()
  }

  // MARK: The end of the monitor

  /// The monitor also ends when it has nothing to write.
  @Test func theMonitorEndsWithItsReaders() async throws {
    let (world, caller) = try await World.signedIn()
    for option in ["", "--usage"] {
      let output = try await world.shell(
        #"{ "$0" monitor --json \#(option); echo "ended with $?" >&2; } | head -n 1 >/dev/null"#)
      #expect(output.text == "ended with 0\n", "\(option)")
    }
    // waybar 0.9 leaks the read ends of its pipes into each program that it starts later.
    let panel = """
      import os, subprocess, sys
      reading, writing = os.pipe()
      os.set_inheritable(reading, True)
      module = subprocess.Popen([sys.argv[1], 'monitor', '--json'], stdout=writing)
      other = subprocess.Popen(['sleep', '600'], pass_fds=[reading])
      os.close(writing)
      os.read(reading, 1)
      print(module.pid, other.pid)
      """
    let output = try await world.run("/usr/bin/python3", "-c", panel, Binaries.chappie)
    let processes = output.text.split(whereSeparator: \.isWhitespace).compactMap { pid_t($0) }
    try #require(processes.count == 2, "\(output.text)")
    defer { kill(processes[1], SIGTERM) }
    try await eventually("the end of the module") { kill(processes[0], 0) != 0 }
    #expect(kill(processes[1], 0) == 0)

    // A script that starts it for another program may end before them.
    let lines = world.directories.home.appending(path: "lines")
    let wait = "until [ -s lines ]; do sleep 0.05; done"
    let line = #"{ "$0" monitor & echo $! >&3; \#(wait); } 3>number | cat >lines & \#(wait); cat number"#
    // The process that stays behind inherits no descriptor of these tests.
    let shell = "import subprocess, sys; subprocess.run(['sh', '-c'] + sys.argv[1:])"
    let script = try await world.run("/usr/bin/python3", "-c", shell, line, Binaries.chappie)
    let monitor = try #require(pid_t(script.text.trimmingCharacters(in: .newlines)), "\(script.text)")
    defer { kill(monitor, SIGTERM) }
    try await caller.call("Session.SignOut")
    try await eventually("the sign-out") {
      try String(contentsOf: lines, encoding: .utf8).hasSuffix("Signed out: run chappie sign-in\n")
    }
  }
}
