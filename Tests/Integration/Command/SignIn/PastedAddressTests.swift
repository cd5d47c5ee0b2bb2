// SPDX-License-Identifier: Apache-2.0

/// `chappie sign-in --paste`: the browser is on another computer.
@Suite(.worlds) @GLibActor
struct PastedAddressTests {
  /// A line of a shell that prints the address at which the browser arrives, with `more` behind it.
  private func arrival(_ world: World, more: String = "") -> String {
    """
    python3 -c 'if True:
      import json, subprocess, urllib.parse, urllib.request
      # Only a program that asks for the sign-in gets the address of its page.
      call = "org.chappie /org/chappie org.chappie.Session StartBrowserSignIn a{sv} 2 open b false notify b false"
      joined = subprocess.run(["busctl", "--user", "--json=short", "call", *call.split()], stdout=subprocess.PIPE)
      form = urllib.parse.urlencode({"address": json.loads(joined.stdout)["data"][0]}).encode()
      answer = urllib.request.urlopen("\(world.sandbox.issuer)/sandbox/authorize", form)
      print(json.load(answer)["location"] + \(more.isEmpty ? #""""# : more), end="")'
    """
  }

  private static let prompt = TerminalStep.prompt("Address: ")

  @Test func anAddressIsPastedAtATerminal() async throws {
    let world = try await World.begin()
    let caller = try await world.caller()
    for (key, status) in [(TerminalStep.interrupt, 130 as Int32), (TerminalStep.end, 2)] {
      try await world.chappie("sign-in", "--paste", at: [Self.prompt, .types(key)]).expect(status, "cancelled")
      #expect(try await caller.property("Session.DeviceLinkState") == "cancelled")
    }
    try await world.chappie(
      "sign-in", "--paste",
      at: [
        .sees("Copy the whole address"), Self.prompt, .types("oaiapp_1234" + TerminalStep.enter),
        .sees("copy the whole address from the browser"),
        Self.prompt, .types("http://127.0.0.1:9/auth/callback?code=1&state=2" + TerminalStep.enter),
        .sees("belongs to another computer, program or sign-in"),
        // A terminal that wraps lines may have copied line ends, and by itself it cuts a line at 4096 bytes.
        Self.prompt, .types("  "), .typesOutput(of: arrival(world, more: #""&x=" + "x" * 6000"#)),
        .types(" " + TerminalStep.enter),
      ]
    ).expect(0, "Signed in as ada@example.com.\r\n")
    // The method stays, as over SSH, where no browser can be opened.
    try await world.chappie(
      "sign-in", at: [Self.prompt, .typesOutput(of: arrival(world)), .types(TerminalStep.enter)]
    ).expect(0)
    #expect(try await world.chappie("status").text.contains("The sign-in was made in the browser."))
    // A forwarded port lets the browser of another computer return by itself. The terminal is as it was then.
    let visit = "curl -s \"$(\(arrival(world)))\" >/dev/null"
    try await world.chappie("sign-in", "--paste", at: [Self.prompt, .runs(visit)])
      .expect(0, "Signed in as ada@example.com.\r\n")
  }

  @Test func theTerminalIsGivenBackWhenTheServiceEnds() async throws {
    let world = try await World.begin()
    let id = try #require(world.service.process?.id)
    _ = try await world.atTmux(
      #"\#(Binaries.chappie) sign-in --paste; stty -a | grep -c " icanon.* echo " | sed s/^/cooked-/; cat"#,
      "sees '^Address:'; kill -9 \(id); sees '^cooked-1'")
    world.service.acceptEnd()
  }

  @Test func aProgramWritesTheAddress() async throws {
    let world = try await World.begin()
    // Some terminals and pipes give a line that has no end. It takes no memory.
    let line = #"""
      mkfifo answer
      (ulimit -d 100000; exec "$0" sign-in --paste) <answer & exec 3>answer
      until "$0" status --json | grep -q waiting-for-browser; do sleep 0.1; done
      echo nonsense >&3
      head -c 100000000 /dev/zero | tr '\0' a >&3; echo >&3
      \#(arrival(world)) >&3; echo >&3
      wait $!
      """#
    try await world.shell(line)
      .expect(
        0, "chappie: This address does not complete the sign-in: copy the whole address", "the address is too long",
        ending: "https://chatgpt.com/settings/usage\n")

    try await world.chappie("sign-in", "--paste").expect(2, "The input ended")
  }
}
