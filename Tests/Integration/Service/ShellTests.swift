// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Calls of the service with the standard command-line tools of a desktop.
@Suite(.worlds) @GLibActor
struct ShellTests {
  @Test func gdbusCanCallTheService() async throws {
    try await World.with { world in
      let target = ["call", "--session", "-d", "org.chappie", "-o", "/org/chappie", "-m"]
      func gdbus(_ arguments: String...) async throws -> Output {
        try await Output.of("gdbus", target + arguments, in: world.directories)
      }
      let start = try await gdbus("org.chappie.Session.StartDeviceCodeSignIn", "{}")
      #expect(start.text.hasPrefix("('"))
      #expect(start.text.contains(world.sandbox.page))
      try await world.caller().waitFor("linked", "Session.DeviceLinkState")
      let state = try await gdbus("org.freedesktop.DBus.Properties.Get", "org.chappie.Session", "State")
      #expect(state.text == "(<'signed-in'>,)\n")
      let answer = try await gdbus("org.chappie.Client.Send", "hello", "{'fast_mode': <true>}")
      #expect(answer.text == "('You said: “hello” This conversation has 1 message.',)\n")
      let refused = try await gdbus("org.chappie.Client.Send", "", "{}")
      #expect(refused.status != 0)
      #expect(refused.text.contains("org.chappie.Error.InvalidArgument"))
      let messages = "[('user', 'one'), ('assistant', 'two'), ('user', 'three')]"
      #expect(try await gdbus("org.chappie.Client.Respond", messages, "{}").text.contains("“three”"))
      #expect(try await gdbus("org.chappie.Session.SignOut").text == "()\n")
    }
  }

  @Test func busctlCanCallTheService() async throws {
    try await World.signedIn { world, caller in
      let target = ["org.chappie", "/org/chappie"]
      func busctl(_ verb: String, _ arguments: String...) async throws -> Output {
        try await Output.of("busctl", ["--user", verb] + target + arguments, in: world.directories)
      }
      #expect(try await busctl("get-property", "org.chappie.Session", "State").text == "s \"signed-in\"\n")
      let options = ["sa{sv}", "hello", "2", "model", "s", "gpt-6-sol", "broadcast", "b", "true"]
      let turn = try await Output.of(
        "busctl", ["--user", "call"] + target + ["org.chappie.Client", "Stream"] + options, in: world.directories)
      #expect(turn.text.hasPrefix("s \"turn-"))
      try await caller.signal("Completed") { "\($0.arguments)".contains("“hello”") }
      let tree = try await world.run("busctl", "--user", "tree", "org.chappie")
      #expect(tree.text.contains("/org/chappie"))
      let members = try await busctl("introspect")
      for member in [".StartDeviceCodeSignIn", ".Send", ".OpenClient", ".TextDelta"] {
        #expect(members.text.contains(member))
      }
    }
  }

  @Test func gdbusMonitorSeesABroadcast() async throws {
    try await World.signedIn { world, caller in
      let monitor = try ChildProcess(
        "monitor", "gdbus", ["monitor", "--session", "-d", "org.chappie", "-o", "/org/chappie"], in: world.directories)
      try await eventually("the monitor") { monitor.output.contains("The name org.chappie is owned by") }
      // The monitor prints its first line before the bus has taken its subscription.
      try await eventually("a broadcast") {
        _ = try await caller.send("on air", ["broadcast": true])
        return monitor.output.contains("org.chappie.Client.Completed")
      }
      #expect(monitor.output.contains("You said: “on air”"))
      await monitor.terminate()
    }
  }
}
