// SPDX-License-Identifier: Apache-2.0

/// `chappie chat` with lines from a pipe, and its commands.
@Suite(.worlds) @GLibActor
struct ChatCommandTests {
  @Test func commandsBeginWithASlash() async throws {
    let (world, _) = try await World.signedIn()
    try await world.sandbox.play("[]")
    let input = """
      /context

      one
      /context
      /compact They greeted.
      /context
      /clear
      /context
      /model
      /model hidden
      /model gpt-6-sol
      two
      /nonsense
      quit
      three
      """
    let output = try await world.chappie("chat", "--fast", "--model", "gpt-6-luna", input: input)
    #expect(
      output.text.replacing(#/models: gpt-.*?\. /#, with: "models: …. ") == """
        0 messages, about 0 tokens, for gpt-6-luna
        You said: “one” This conversation has 1 message.
        2 messages, about 14 tokens, for gpt-6-luna
        The model reads a summary from now on.
        A summary and 0 messages, about 4 tokens, for gpt-6-luna
        The conversation is forgotten.
        0 messages, about 0 tokens, for gpt-6-luna
        gpt-6-luna
        “hidden” is not in the list of models: …. The next message shows whether it answers.
        gpt-6-sol answers from now on.
        You said: “two” This conversation has 1 message.
        chappie: There is no /nonsense: see /help.

        """)
    #expect(output.status == 2)
    let state = try await world.sandbox.state()
    #expect(state.requests["responses"] == 2)
    #expect(state.lastResponsesRequest.body?.model == "gpt-6-sol")
    #expect(state.lastResponsesRequest.body?.reasoning?.effort == "low")
    // The model writes the summary.
    try await world.sandbox.play(
      #"[{"endpoint":"responses","text":"Hello."},{"endpoint":"responses","text":"They greeted."}]"#)
    try await world.chappie("chat", input: "one\n/compact\n/context\n")
      .expect(
        0, beginning: "Hello.\nThe model reads a summary from now on.\n",
        ending: "\nA summary and 0 messages, about 4 tokens, for gpt-6.1-sol\n")
  }

  @Test func undoAndRetryChangeTheConversationAndAThread() async throws {
    let (world, caller) = try await World.signedIn()
    let input = "one\ntwo\n/undo\nthree\n/retry\n/context\n/undo\n/undo\n/undo\n"
    try await world.chappie("chat", input: input)
      .expect(
        1,
        only: """
          You said: “one” This conversation has 1 message.
          You said: “two” This conversation has 3 messages.
          The last message is removed, and its answer.
          You said: “three” This conversation has 3 messages.
          The last message is asked again.
          You said: “three” This conversation has 3 messages.
          4 messages, about 29 tokens, for gpt-6.1-sol
          The last message is removed, and its answer.
          The last message is removed, and its answer.
          chappie: Nothing has been asked yet.

          """)
    let compacted = try await world.chappie("chat", input: "one\n/compact They greeted.\n/undo\n")
    #expect(compacted.text.hasSuffix("chappie: There is no turn to remove.\n"))

    let stored = try await world.chappie("chat", "--thread", "new", input: "one\ntwo\n/undo\nthree\n/retry\n")
    #expect(stored.status == 0, "\(stored.text)")
    #expect(stored.text.hasSuffix("You said: “three” This conversation has 3 messages.\n"))
    let thread = try #require(try await caller.threads().first?.text("id"))
    #expect(try await caller.thread(thread).inputs == ["one", "three"])
    // The question failed: it is stored, and the model has not read it.
    try await world.sandbox.play(#"[{"endpoint":"responses","status":400,"times":1}]"#)
    let failed = try await world.chappie("chat", "--thread", "last", input: "four\n/retry\n")
    #expect(failed.text.hasSuffix("You said: “four” This conversation has 5 messages.\n"))
    #expect(try await caller.thread(thread).inputs == ["one", "three", "four"])
    let undone = try await world.chappie("threads", "undo", "last")
    #expect(undone.text == "Removed the last message of “one”, and its answer.\n")
    #expect(try await caller.thread(thread).inputs == ["one", "three"])
  }

  /// `timeout 60 chappie chat <questions` ends there.
  @Test func aSignalEndsAChatThatReadsAFile() async throws {
    let (world, _) = try await World.signedIn()
    try await world.sandbox.play(#"[{"endpoint":"responses","text":"one two","delta_delay_ms":600000}]"#)
    let chat = Task { @GLibActor in
      try await world.shell(#"printf 'one\ntwo\n' >lines; echo $$ >pid; exec "$0" chat <lines"#)
    }
    try await eventually("the question") { try await world.sandbox.state().requests["responses"] == 1 }
    try await world.shell(#"kill "$(cat pid)""#).expect(0)
    #expect(try await chat.value.status == 130)
    #expect(try await world.sandbox.state().requests["responses"] == 1)
  }

  @Test func saveWritesTheConversationAndItsSources() async throws {
    try await World.signedIn(each: [[], ["--thread", "new"]]) { world, _, thread in
      let file = world.directories.home.path + (thread.isEmpty ? "/said.md" : "/thread.md")
      let search = thread.isEmpty ? "/search\n" : ""
      let options = thread.isEmpty ? [] : ["--search-cached"] + thread
      let input = "\(search)search for buses\n/search off\nsearch for cats\n/save \(file)\n"
      try await world.chappie(["chat"] + options, input: input).expect(0)
      let text = try String(contentsOfFile: file, encoding: .utf8)
      #expect(text.contains("> search for cats\n") && text.contains("You said: “search for cats”"), "\(text)")
      // As threads export does.
      let list = """
        Sources:

        1. buses, source 1 <https://example.org/buses/1>
        2. buses, source 2 <https://example.net/buses/2>
        """
      #expect(text.components(separatedBy: "Sources:").count == 2 && text.contains("\n\n\(list)\n\n## "), "\(text)")
      // An existing file stays as it is.
      try await world.chappie(["chat"] + thread, input: "two\n/save \(file)\n").expect(1)
      #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
      mkfifo(file + ".pipe", 0o600)
      try await world.chappie(["chat"] + thread, input: "two\n/save \(file).pipe\n").expect(1, "name a file")
      let empty = try await world.chappie(["chat"] + thread, input: "/save \(file)2\n")
      #expect(empty.text.contains("Nothing has been asked yet."), "\(empty.text)")
    }
  }

  @Test func filesAndImagesComeWithTheNextMessage() async throws {
    let (world, _) = try await World.signedIn()
    let file = world.directories.home.path + "/some notes.txt"
    try "The text of a file.".write(toFile: file, atomically: true, encoding: .utf8)
    let input = "/file \(file)\n/image https://example.org/a.png\none\n"
    try await world.chappie("chat", input: input)
      .expect(
        0, "some notes.txt (19 B) goes with the next message.\n",
        "https://example.org/a.png goes with the next message.\n")
    let sent = try await world.sandbox.state()
    #expect(sent.lastInput.first?.hasPrefix("user: one\n\nFile: ") == true, "\(sent.lastInput)")
    #expect(sent.lastInput.first?.contains("The text of a file.") == true, "\(sent.lastInput)")
    // The next message has them no more.
    _ = try await world.chappie("chat", input: input + "two\n")
    #expect(try await world.sandbox.state().lastInput == ["user: two"])
    for line in ["/file", "/file /nowhere", "/image /nowhere.png"] {
      #expect(try await world.chappie("chat", input: line + "\n").status != 0, "\(line)")
    }
  }

  @Test func helpListsTheCommandsAndAFailureSetsTheExitStatus() async throws {
    let world = try await World.begin()
    let output = try await world.chappie("chat", input: "/help\n")
    for command in ["/model", "/file", "/copy", "/undo", "/compact", "/clear", "/quit"] {
      #expect(output.text.contains(command))
    }
    #expect(output.status == 0)
    try await world.chappie("chat", "--thread", "new", input: "/help\n/compact\n")
      .expect(1, "a new one begins", ending: "chappie: There is nothing to summarise yet.\n")
    try await world.chappie("chat", input: "one\n")
      .expect(3, only: "chappie: Nobody is signed in: run chappie sign-in.\n")
    try await world.chappie("chat", input: "/compact\n").expect(1, beginning: "chappie: ")
    try await world.chappie("chat", input: String(repeating: "x\n", count: 2 << 20 + 1)).expect(2, "4 MiB")
  }
}
