// SPDX-License-Identifier: Apache-2.0

/// Answers as `chappie` shows them at a terminal.
@Suite(.worlds) @GLibActor
struct ShownAnswerTests {
  /// The screen that the unit tests of the layout compare with.
  private static func screen(_ name: String) throws -> String {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(
      contentsOf: tests.appending(path: "AnswerRenderingTests/Screens/\(name).txt"), encoding: .utf8)
  }

  // MARK: While it comes

  /// A question at a real terminal with a screen of 24 lines, which then shows a last line.
  private static let question = "\(Binaries.chappie) ask Hello; stty -a | grep -w -- -echo; echo; echo THE END; cat"

  /// tmux draws no character wider than it was measured: it wraps no line, which `cmp` would tell.
  @Test func tmuxShowsTheSame() async throws {
    let answers = [AnswerSamples.long, AnswerSamples.scripts, AnswerSamples.table, AnswerSamples.widths]
    try await World.signedIn(each: answers) { world, _, answer in
      try await world.sandbox.say(answer, #","delta_delay_ms":1"#)
      let shown = try await world.atTmux(
        Self.question,
        """
        sees '^THE END'
        $tmux capture-pane -p -S - | sed 's/ *$//; /^THE END/,$d' >shown
        $tmux capture-pane -p -J -S - | sed 's/ *$//; /^THE END/,$d' >joined
        sed '$d' shown
        cmp shown joined
        """)
      if answer == AnswerSamples.long { #expect(try shown == Self.screen("long-80")) }
    }
  }

  /// Nothing is doubled or lost where the window changes while an answer comes.
  @Test func aResizedWindowShowsTheAnswerOnce() async throws {
    let (world, _) = try await World.signedIn()
    let cell = "a cell with so many words that the row takes more than seventy columns of the terminal"
    let rows = (1...12).map { "| row\($0) | \(cell) |\n" }.joined()
    let first = "The first paragraph is settled when the table comes, and no later change of the window damages it."
    let answer = "\(first)\n\n| Name | What it is |\n|---|---|\n\(rows)\nThe last paragraph."
    try await world.sandbox.say(answer, #","delta_delay_ms":60"#)
    let output = try await world.atTmux(
      Self.question,
      """
      sees row2
      $tmux resize-window -x 70 -y 24
      sees row5
      $tmux resize-window -x 140 -y 24
      sees '^THE END'
      screen | sed 's/ *$//; /^THE END/,$d'
      """, columns: 100)
    let lines = output.split(separator: "\n").map(String.init)
    #expect(lines.first == first, "\(output)")
    #expect(lines.count { $0.hasPrefix("Name") } == 1, "\(output)")
    for row in 1...12 { #expect(lines.count { $0.hasPrefix("row\(row) ") } == 1, "\(output)") }
    #expect(lines.last == "The last paragraph.", "\(output)")
    #expect(lines.count == 16, "\(output)")
  }

  // MARK: Before the first word, and meanwhile

  @Test func aLineSaysWhatTheAnswerWaitsFor() async throws {
    let (world, _) = try await World.signedIn()
    try await world.sandbox.say("First, and then last.", #","delay_ms":5000,"delta_delay_ms":300"#)
    // A busy machine may leave out a second, and draw the answer in pieces. What is typed would stand in the middle of
    // the answer. Afterwards the terminal shows it again: see `question`.
    let asked = try await world.chappie(
      ["ask", "Hello"],
      at: [
        .sees("Waiting for the answer…"), .sees(" s"), .sees("First"), .types("typed\(TerminalStep.enter)"),
        .sees("last"),
      ], environment: ["LC_ALL": "C.UTF-8"])
    #expect(asked.status == 0, "\(asked.text)")
    #expect(try ReplayedTerminal.showing([asked.text], columns: 80).text == "First, and then last.\n")
  }

  @Test func aLineNamesTheToolThatIsCalled() async throws {
    let world = try await World.begin(World.Plan(keyring: .none, service: .none))
    let call = #"{"event":"tool-call-requested","call":"1","name":"wea\u001bther"}"# + "\n"
    _ = try await HostileService(world, speeches: [.torrent(call, #"{"event":"else"}"# + "\n")])
    try await world.chappie(
      ["ask", "Hello"], at: [.sees("Calling wea␛ther…"), .types(TerminalStep.interrupt), .sees("Cancelled")],
      environment: ["LC_ALL": "C.UTF-8"]
    ).expect(130)
  }

  // MARK: As the model wrote it

  @Test func thePersonAndTheTerminalDecide() async throws {
    let (world, _) = try await World.signedIn()
    try await world.sandbox.say("Some **bold** text.")
    for (arguments, environment) in [(["ask", "--raw", "Hello"], [:]), (["ask", "Hello"], ["TERM": "dumb"])] {
      let asked = try await world.chappie(arguments, at: [.sees("text.")], environment: environment)
      #expect(asked.drawn == "Some **bold** text.\r\n")
    }
    #expect(try await world.chappie("ask", "Hello").text == "Some **bold** text.\n")
    try await world.chat(["Hello": "**bold**"], with: ["--raw"])
    // Without colors the marks stay.
    try await world.sandbox.say("# A `title`\n\nSome **bold** text.\n\n```sh\necho hi # there\n```")
    let plain = try await world.chappie(
      ["ask", "Hello"], at: [.sees("there")], environment: ["NO_COLOR": "1", "LC_ALL": "C.UTF-8"])
    #expect(plain.drawn.contains("\u{1B}[1mbold\u{1B}[m") && plain.drawn.contains("`title`"))
    #expect(!plain.drawn.contains("\u{1B}[3"))
    // A thread is shown the same way.
    try await world.sandbox.say("- an *item*")
    _ = try await world.chappie("ask", "--thread", "new", "Hello")
    let shown = try await world.chappie(
      ["threads", "show", "last"], at: [], environment: ["LC_ALL": "C.UTF-8"])
    #expect(try ReplayedTerminal.showing([shown.text], columns: 80).lines.contains("  • an item"))
    #expect(try await world.chappie("threads", "show", "--raw", "last", at: []).text.contains("  - an *item*"))
    #expect(try await world.chappie("threads", "show", "last").text.contains("  - an *item*"))

    // A locale without frames gets ASCII.
    try await world.sandbox.say("- an item\n\n```sh\necho\n```\n\n| a | b |\n|---|---|\n| c | d |")
    let framed = try await world.chappie(["ask", "Hello"], at: [.sees("d")], environment: ["LC_ALL": "C"])
    let screen = try ReplayedTerminal.showing([framed.text], columns: 80).lines
    #expect(screen.contains("* an item") && screen.contains("a | b") && screen.contains("--+--"))
    #expect(screen.contains { $0.hasPrefix("+- sh ---") })
    #expect(framed.text.utf8.allSatisfy { $0 < 0x80 })
    // What takes a character's place is measured.
    try await world.sandbox.say(String(repeating: "word… ", count: 60))
    let long = try await world.chappie(["ask", "Hello"], at: [], environment: ["LC_ALL": "C"])
    let words = try ReplayedTerminal.showing([long.text], columns: 80).lines.flatMap { $0.split(separator: " ") }
    #expect(words == Array(repeating: "word...", count: 60))
  }
}
