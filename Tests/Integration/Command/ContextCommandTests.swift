// SPDX-License-Identifier: Apache-2.0

/// `chappie context`, and questions that are followed up.
@Suite(.worlds) @GLibActor
struct ContextCommandTests {
  @Test func contextShowsTheContinuedConversation() async throws {
    let (world, caller) = try await World.signedIn()
    #expect(try await world.chappie("context").text == "0 messages, about 0 tokens, for gpt-5.5\n")
    _ = try await world.chappie("ask", "--continue", "one")
    #expect(try await world.chappie("context").text == "2 messages, about 14 tokens, for gpt-6.1-sol\n")
    #expect(
      try await world.chappie("context", "--messages").text
        == "user: one\nassistant: You said: “one” This conversation has 1 message.\n")
    let json = try await world.chappie("context", "--json").text
    #expect(json.hasPrefix(#"{"message_count":2,"estimated_tokens":14,"model":"gpt-6.1-sol","updated_at":"#))
    let shortened = try await world.chappie("context", "--summary", "They greeted.")
    #expect(shortened.text == "A summary and 0 messages, about 4 tokens, for gpt-6.1-sol\n")
    try await world.chappie("context", "--summary", "").expect(2, "--summary: the value is empty")
    #expect(try await world.chappie("context", "--messages").text == "summary: They greeted.\n")
    #expect(try await world.chappie("context", "--json").text.contains(#""compacted_summary":"They greeted.""#))
    #expect(try await world.chappie("context", "--clear").text == "0 messages, about 0 tokens, for gpt-6.1-sol\n")
    // There is nothing to compact.
    #expect(try await world.chappie("context", "--compact").status == 1)
    _ = try await world.chappie("ask", "--continue", "one")
    try await world.sandbox.play(#"[{"endpoint":"responses","text":"They greeted."}]"#)
    let compacted = try await world.chappie("context", "--compact")
    #expect(compacted.text == "A summary and 0 messages, about 4 tokens, for gpt-6.1-sol\n")
    #expect(try await world.chappie("context", "--messages").text == "summary: They greeted.\n")

    // Each account has its own conversation.
    try await world.chappie("context", "--account", "work").expect(3, "chappie sign-in --account work")
    try await caller.signIn(account: "work")
    _ = try await world.chappie("ask", "--continue", "--account", "work", "one")
    #expect(try await world.chappie("context", "--account", "work").text.hasPrefix("2 messages"))
    #expect(try await world.chappie("context").text.hasPrefix("A summary and 0 messages"))
  }

  /// `ask --continue` follows up the last `ask`, of whichever process.
  @Test func aContinuedQuestionFollowsTheLastOne() async throws {
    let (world, _) = try await World.signedIn()
    _ = try await world.chappie("ask", "--continue", "zero")
    _ = try await world.chappie("ask", "one")
    #expect(try await world.sandbox.state().lastInput == ["user: one"])
    #expect(try await world.chappie("ask", "-c", "two").text == "You said: “two” This conversation has 3 messages.\n")
    #expect(try await world.sandbox.state().lastInput.first == "user: one")
    // In a thread it goes on there, and outside of threads afterwards.
    _ = try await world.chappie("ask", "--thread", "new", "three")
    #expect(try await world.chappie("ask", "-c", "four").text.contains("3 messages"))
    #expect(try await world.listedThreads().map(\.turnCount) == [2])
    _ = try await world.chappie("ask", "five")
    #expect(try await world.chappie("ask", "-c", "six").text.contains("3 messages"))
    #expect(try await world.listedThreads().map(\.turnCount) == [2])
    // An answer without the wanted form is followed up, too.
    #expect(try await world.chappie("ask", "-x", "seven").status == 13)
    #expect(try await world.chappie("ask", "-c", "eight").text.contains("3 messages"))
  }

  /// After a question that failed, and in a thread that is gone, no other conversation is followed up.
  @Test func aFailedQuestionIsFollowedUpByNothing() async throws {
    try await World.signedIn(each: ["", "--thread new", "gone"]) { world, _, place in
      _ = try await world.chappie("ask", "one")
      if place == "gone" {
        let thread = try await world.beginThread("two")
        #expect(try await world.chappie("threads", "delete", "--yes", thread).status == 0)
        #expect(try await world.chappie("ask", "-c", "three").text.contains("There is no such thread"))
      } else {
        let place = place.split(separator: " ").map(String.init)
        #expect(try await world.chappie(["ask", "--image", "nothing.png"] + place + ["two"]).status == 1)
      }
      for _ in 1...2 {
        try await world.chappie("ask", "-c", "three").expect(1, beginning: "chappie: There is nothing to follow up")
      }
      #expect(try await world.chappie("context", "--clear").status == 0)
      #expect(try await world.chappie("ask", "-c", "three").text.contains("1 message."))
      #expect(try await world.chappie("ask", "-c", "four").text.contains("3 messages"))
    }
  }
}
