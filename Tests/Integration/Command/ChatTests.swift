// SPDX-License-Identifier: Apache-2.0

/// `chappie chat` at a terminal.
@Suite(.worlds) @GLibActor
struct ChatTests {
  /// The turn that was opened at a prompt is not used for a message after a command.
  @Test func aCommandCountsForTheNextMessage() async throws {
    try await World.signedIn(each: [[], ["--thread", "new"]]) { world, _, arguments in
      try await world.chat(
        [
          "one": "You said: “one” This conversation has 1 message.", "/clear": "",
          "two": "You said: “two” This conversation has 1 message.", "/model gpt-6-sol": "",
          "three": "You said: “three” This conversation has 3 messages.",
        ], with: arguments)
      #expect(try await world.sandbox.state().lastResponsesRequest.body?.model == "gpt-6-sol")
    }
  }

  @Test func linesCanBeEditedAndRecalled() async throws {
    let (world, _) = try await World.signedIn()
    try await world.chat([
      "illo\(TerminalStep.start)w": "You said: “willo”", "\(TerminalStep.up)w": "You said: “willow”",
      "Zür\u{7F}ri": "You said: “Züri” This conversation has 5 messages.",
      // An empty line is no message.
      " ": "",
    ])
    #expect(try await world.sandbox.state().requests["responses"] == 3)

    // A failure is reported, and the chat goes on.
    try await world.sandbox.play(#"[{"endpoint":"responses","status":400,"body":{"detail":"Not today."}}]"#)
    let output = try await world.chat(["one": "Not today.", "two": "You said: “two”"])
    #expect(output.text.contains("chappie: "), "\(output.text)")

    // The history holds the lines of this run only. The terminal's output is in the logs of these tests.
    try await world.chat(["\(TerminalStep.up)anew": "You said: “anew”"])
    let found = try world.directories.files().filter { !$0.key.hasPrefix("logs/") }
      .filter { $0.value.contains("willow") }
    #expect(found.keys.sorted() == [])
  }

  @Test func interruptCancelsOnlyTheAnswer() async throws {
    let (world, caller) = try await World.signedIn()
    try await world.sandbox.stall(times: "2")
    let cancelled: [TerminalStep] = [
      .sees(Sandbox.stalledText), .types(TerminalStep.interrupt), .sees("chappie: Cancelled."), .prompt,
    ]
    var steps: [TerminalStep] = [.prompt]
    for line in ["Go on", "Again"] {
      steps.append(.types(line + TerminalStep.enter))
      steps += cancelled
    }
    steps += [
      .types("/retry\(TerminalStep.enter)"), .sees("You said: “Again” This conversation has 1 message."), .prompt,
      .types(TerminalStep.end),
    ]
    let output = try await world.chappie(["chat"], at: steps)
    #expect(output.status == 0, "\(output.text)")
    // What had come stays on the screen.
    let screen = try ReplayedTerminal.showing([output.text], columns: 80).text
    #expect(screen.components(separatedBy: Sandbox.stalledText).count == 3, "\(screen)")
    let state = try await world.sandbox.state()
    #expect(state.lastInput == ["user: Again"])
    #expect(state.openStreams == 0)
    #expect(try await caller.property("Client.ActiveTurns", as: [String].self).isEmpty)
  }

  /// The second interrupt ends the command even when the service does not answer.
  @Test func aSecondInterruptEndsTheCommandAtOnce() async throws {
    let (world, _) = try await World.signedIn()
    let service = try #require(world.service.process).id
    try await world.chappie(
      "chat",
      at: [
        .prompt, .runs("kill -STOP \(service)"), .types("one\(TerminalStep.enter)"),
        .insists(TerminalStep.interrupt, until: "chappie: Cancelled."), .prompt,
        .types("/context\(TerminalStep.enter)"),
        .insists(TerminalStep.interrupt, until: "chappie: Cancelled."), .prompt,
        .runs("kill -CONT \(service)"), .types("two\(TerminalStep.enter)"), .sees("You said: “two”"), .prompt,
        .types(TerminalStep.end),
      ]
    ).expect(0)
  }

  // MARK: Ctrl-C and pasted text

  /// The editor goes on as before: the message sent is the line shown.
  @Test func interruptClearsTheLine() async throws {
    let cases: [String: [TerminalStep]] = [
      "slowly": [.types("half a li"), .sees("half a li"), .types(TerminalStep.interrupt), .sees("^C"), .prompt],
      "at once": [.types("half a li\(TerminalStep.interrupt)")],
      "in a paste without an end": [.types("\u{1B}[200~never ended\r\(TerminalStep.interrupt)")],
    ]
    try await World.signedIn(each: cases.keys.sorted()) { world, _, name in
      let left = TerminalStep.left
      let steps = cases[name] ?? []
      let output = try await world.chappie(
        ["chat"],
        at: [.prompt] + steps + [
          .types("wrld\(left)\(left)\(left)o\(TerminalStep.enter)"), .sees("You said: “world”"), .prompt,
          .types(TerminalStep.end),
        ])
      #expect(output.status == 0, "\(output.text)")
      // The terminal itself shows keys that come before the next prompt, so that what it shows proves nothing.
      #expect(try await world.sandbox.state().lastInput == ["user: world"])
    }
  }

  @Test func interruptOnAnEmptyLineAsksBeforeItEndsAndAFileGetsTheAnswersAlone() async throws {
    let (world, _) = try await World.signedIn()
    let hint = TerminalStep.sees("Ctrl-D ends the chat, and so does another Ctrl-C.")
    try await world.chappie(
      "chat",
      at: [
        .prompt, .types(TerminalStep.interrupt), hint, .prompt, .types("one\(TerminalStep.enter)"),
        .sees("You said: “one”"), .prompt, .types(TerminalStep.interrupt), hint, .prompt,
        .types("half\(TerminalStep.interrupt)"), .prompt, .types(TerminalStep.interrupt), hint, .prompt,
        .types(TerminalStep.interrupt),
      ]
    ).expect(130)
    #expect(try await world.sandbox.state().requests["responses"] == 1)

    // What greets a person is no part of the answers.
    let file = world.directories.home.path + "/answers"
    try await world.chappie(
      "chat",
      at: [.sees("answers. /help shows the commands."), .prompt, .types("one\r"), .prompt, .types("/quit\r")],
      output: file
    ).expect(0)
    let answers = try String(contentsOfFile: file, encoding: .utf8)
    #expect(answers == "You said: “one” This conversation has 1 message.\n")
  }

  @Test func pastedLinesAreOneMessage() async throws {
    let texts = [
      ("one\r  two\r\rthree", "one\n  two\n\nthree"), ("one\r\ntwo\nthree", "one\ntwo\nthree"),
      ("/etc/passwd\ris what?", "/etc/passwd\nis what?"), ("a\tb\u{1B}[31m\u{7}\rü 你", "a\tb[31m\nü 你"),
    ]
    try await World.signedIn(each: texts) { world, _, text in
      let (pasted, message) = text
      let output = try await world.chat([
        "x\(TerminalStep.pasted(pasted)) enx\u{7F}d\(TerminalStep.start)\u{1B}[3~": "This conversation has 1 message.",
        "\(TerminalStep.up)!": "This conversation has 3 messages.",
      ])
      // The terminal is asked to mark pasted text at the prompt, and nowhere else.
      #expect(output.text.contains("\u{1B}[?2004h"))
      #expect(output.text.components(separatedBy: "\u{1B}[?2004").last?.hasPrefix("l") == true)
      let input = try await world.sandbox.state().lastInput
      #expect(input.last == "user: \(message) end!")
    }
  }

  @Test func aSignalRestoresTheTerminal() async throws {
    try await World.signedIn(each: ["TERM", "HUP"]) { world, _, signal in
      let output = try await world.chappie(
        "chat", at: [.prompt, .types("half"), .sees("half"), .runs("kill -\(signal) $CHILD")])
      #expect(output.text.components(separatedBy: "\u{1B}[?2004").last?.hasPrefix("l") == true)
      #expect(output.status == 130, "\(output.text)")
    }
  }

  // MARK: Real keys in a real terminal

  /// - Returns: what `script` prints.
  private static func run(_ script: String, in world: World) async throws -> String {
    try await world.atTmux(
      #"PS1="shell> " exec bash --norc --noediting"#,
      """
      sees '^shell>'
      keys -l "$0 chat"; keys Enter
      sees '^›'

      """ + script)
  }

  @Test func keysEditCompleteAndCopyInARealTerminal() async throws {
    let (world, _) = try await World.signedIn()
    let copied = try await Self.run(
      """
      keys -l one; keys M-Enter; keys -l two
      sees '^two'
      $tmux set-buffer "$(printf ' three\\nfour')"
      $tmux paste-buffer -p -d
      sees '^four'
      keys Enter
      sees 'has 1 message'
      keys -l /copy; keys Enter
      succeeds $tmux show-buffer 2>/dev/null
      """, in: world)
    #expect(try await world.sandbox.state().lastInput == ["user: one\ntwo three\nfour"])
    #expect(copied == "You said: “one\ntwo three\nfour” This conversation has 1 message.")

    _ = try await Self.run(
      """
      echo 'The text of a file.' > "$HOME/some notes.txt"
      keys -l /co; keys Tab
      sees '^/compact  /context  /copy'
      keys C-c
      sees '^› *$'
      keys -l /ret; keys Tab
      sees '^› /retry$'
      keys C-c
      sees '/retry^C'
      # The name, then its models.
      keys -l /mod; keys Tab
      sees '^› /model *$'
      # The models come in the meantime.
      completes() { shows '^› /model gpt-6-luna$' || { keys C-u; keys -l '/model gpt-6-l'; keys Tab; false; }; }
      succeeds completes
      keys Enter
      sees '^gpt-6-luna answers'
      keys -l "/file $HOME/some"; keys Tab
      sees 'some.* notes.txt'
      keys Enter; keys -l 'What is it?'; keys Enter
      sees 'has 1 message'
      """, in: world)
    let state = try await world.sandbox.state()
    #expect(state.lastResponsesRequest.body?.model == "gpt-6-luna")
    #expect(state.lastInput.first?.contains("The text of a file.") == true, "\(state.lastInput)")

    let line = (10...40).map { "word\($0)" }.joined(separator: " ")
    let prompts = try await Self.run(
      """
      keys -l half
      sees '^› half'
      # The shell gets its terminal back.
      keys C-z
      sees 'Stopped'
      keys -l 'stty -a | grep -c " icanon.* echo " | sed s/^/cooked-/'; keys Enter
      sees '^cooked-1'
      keys -l fg; keys Enter
      sees '› half$'
      keys -l '!'; keys Enter
      sees '“half!” This conversation has 1 message'
      keys C-l
      keys -l '\(line)'
      sees 'word40'
      drawn() { $tmux capture-pane -p | tr -d '\\n' | grep -q "at$columns"; }
      for columns in 40 120 60; do
        $tmux resize-window -x $columns -y 24
        keys -l " at$columns"
        succeeds drawn
      done
      $tmux capture-pane -p | grep -c '^›'
      keys Enter
      sees '3 messages'
      """, in: world)
    #expect(prompts == "1\n")
    #expect(try await world.sandbox.state().lastInput == ["user: \(line) at40 at120 at60"])
  }
}
