// SPDX-License-Identifier: Apache-2.0

/// `chappie ask --thread` and `chappie chat --thread`.
@Suite(.worlds) @GLibActor
struct ThreadConversationTests {
  @Test func aFailedTurnIsKeptAndARefusedQuestionIsNot() async throws {
    let (world, _) = try await World.signedIn()
    try await world.chappie("ask", "--thread", "new", "--image", "nothing.png", "What is this?").expect(1)
    #expect(try await world.listedThreads().isEmpty)
    try await world.sandbox.play(#"[{"endpoint":"responses","status":400,"body":{"detail":"Not today."}}]"#)
    #expect(try await world.chappie("ask", "--thread", "new", "one").status == 10)
    #expect(try await world.listedThreads().map(\.turnCount) == [1])
    #expect(try await world.chappie("ask", "--thread", "last", "two").text.contains("1 message."))
    // So is an interrupted one.
    try await world.sandbox.stall(times: "1")
    try await world.chappie(
      "ask", "--thread", "new", "Go on", at: [.sees(Sandbox.stalledText), .types(TerminalStep.interrupt)]
    ).expect(130)
    let shown = try await world.chappie("threads", "show", "last").text
    #expect(shown.contains("  \(Sandbox.stalledText)"), "\(shown)")
    #expect(shown.contains("\nFailed\n"), "\(shown)")
  }

  @Test func anAnswerThatCannotBeStoredIsPrinted() async throws {
    let (world, caller) = try await World.signedIn()
    let thread = try await world.beginThread("one")
    try await world.sandbox.play(
      #"[{"endpoint":"responses","text":"one two three four five six","hold_after":1}]"#)
    let asking = Task { @GLibActor in
      try await world.shell(#""$0" ask --thread last --json -o answer.md two 2>errors"#)
    }
    // The thread is deleted while the model answers.
    try await eventually("the question") { try await world.sandbox.state().requests["responses"] == 2 }
    try await caller.call("Threads.Delete", thread)
    try await eventually("an answer to hold") { try await world.sandbox.state().openStreams == 1 }
    try await world.sandbox.release()
    let output = try await asking.value
    #expect(output.status == 1)
    let answer = try Unstored(snakeCase: output.text)
    #expect(answer.thread == thread)
    #expect(answer.text == "one two three four five six")
    #expect(!answer.responseId.isEmpty)
    #expect(answer.error == "org.chappie.Error.NoSuchThread")
    let errors = try String(contentsOf: world.directories.home.appending(path: "errors"), encoding: .utf8)
    #expect(errors == "chappie: \(answer.message)\n")
    let file = try String(contentsOf: world.directories.home.appending(path: "answer.md"), encoding: .utf8)
    #expect(file == answer.text + "\n")
  }

  private struct Unstored: Decodable {
    let thread, text, responseId, error, message: String
  }

  @Test func aChatIsAThread() async throws {
    let (world, _) = try await World.signedIn()
    let input = """
      /context
      one
      two
      /context
      /compact They counted.
      three
      /model
      /model gpt-6-sol
      four
      /clear
      five
      """
    let output = try await world.chappie("chat", "--thread", "new", "--model", "gpt-6-luna", input: input)
    let lines = output.text.split(separator: "\n")
    #expect(
      lines.map { $0.hasPrefix("“one”, ") ? "“one”, …" : $0 } == [
        "The next message begins a thread",
        "You said: “one” This conversation has 1 message.", "You said: “two” This conversation has 3 messages.",
        "“one”, …", "The model reads a summary from now on.",
        "You said: “three” This conversation has 1 message.", "gpt-6-luna", "gpt-6-sol answers from now on.",
        "You said: “four” This conversation has 3 messages.",
        "The thread stays stored. The next message begins another one.",
        "You said: “five” This conversation has 1 message.",
      ])
    #expect(lines[3].hasPrefix("“one”, 2 turns, "))
    #expect(output.status == 0)
    let threads = try await world.listedThreads()
    #expect(Set(threads.map(\.title)) == ["one", "five"])
    #expect(try await world.sandbox.state().lastResponsesRequest.body?.model == "gpt-6-sol")
    // The chat's choice does not apply to other users of the same object.
    let five = try #require(threads.first { $0.title == "five" }).id
    _ = try await world.chappie("ask", "--thread", five, "six")
    #expect(try await world.sandbox.state().lastResponsesRequest.body?.model == "gpt-6.1-sol")
    let rest = try await world.chappie("chat", "--thread", five, input: "seven\n")
    #expect(rest.text.hasSuffix("This conversation has 5 messages.\n"), "\(rest.text)")
  }

  @Test func aTerminalShowsTheNewThreadAndTheLastTurn() async throws {
    let (world, _) = try await World.signedIn()
    let begun = try await world.chappie(
      "ask", "--thread", "new", "My name is Ada.", at: [.sees("has 1 message."), .sees("go on with --thread")])
    #expect(begun.status == 0, "\(begun.text)")
    let listed = try #require(try await world.listedThreads().first)
    #expect(begun.text.contains("Thread \(listed.short): go on with --thread.\r\n"))
    let thread = listed.id
    let again = try await world.chappie("ask", "--thread", "last", "1\n2\n3\n4", at: [.sees("3 messages.")])
    #expect(!again.text.contains("go on with"))
    let output = try await world.chappie(
      "chat", "--thread", thread,
      at: [
        .sees("My name is Ada."), .sees("You"), .sees("  3\r\n  …"), .sees("gpt-6.1-sol"), .sees("You said: “1"),
        .prompt,
        .types("Who am I?\(TerminalStep.enter)"), .sees("This conversation has 5 messages."), .prompt,
        .types(TerminalStep.end),
      ])
    #expect(output.status == 0, "\(output.text)")
    // The turn before is not shown.
    #expect(!output.text.contains("“My name is Ada.”"))
    try await world.chappie("chat", "--thread", "nonsense", at: [.sees("There is no thread")]).expect(1)
  }
}
