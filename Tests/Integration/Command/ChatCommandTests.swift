import GLibBridge
import Testing

/// `chappie chat` with lines from a pipe, and its commands.
@Suite(.worlds) @GLibActor
struct ChatCommandTests {
  @Test func eachLineIsAMessage() async throws {
    try await World.with { world in
      _ = try await world.signedInCaller()
      let output = try await world.chappie("chat", "--fast", input: "My name is Ada.\n\nWho am I?")
      #expect(
        output.text == """
          You said: “My name is Ada.” This conversation has 1 message.
          You said: “Who am I?” This conversation has 3 messages.

          """)
      #expect(output.status == 0)
      #expect(try await world.sandbox.state().lastResponsesRequest.body?.reasoning?.effort == "low")
    }
  }

  @Test func commandsBeginWithASlash() async throws {
    try await World.with { world in
      _ = try await world.signedInCaller()
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
        /model gpt-6-sol
        two
        /nonsense
        /quit
        three
        """
      let output = try await world.chappie("chat", "--model", "gpt-6-luna", input: input)
      #expect(
        output.text == """
          0 messages, about 0 tokens, for gpt-6-luna
          You said: “one” This conversation has 1 message.
          2 messages, about 14 tokens, for gpt-6-luna
          A summary and 0 messages, about 4 tokens, for gpt-6-luna
          0 messages, about 0 tokens, for gpt-6-luna
          gpt-6-luna
          gpt-6-sol
          You said: “two” This conversation has 1 message.
          There is no /nonsense: see /help.

          """)
      #expect(output.status == 0)
      #expect(try await world.sandbox.state().requests["responses"] == 2)
      #expect(try await world.sandbox.state().lastResponsesRequest.body?.model == "gpt-6-sol")
    }
  }

  @Test func theModelCompactsTheConversation() async throws {
    try await World.with { world in
      _ = try await world.signedInCaller()
      try await world.sandbox.play(
        #"[{"endpoint":"responses","text":"Hello."},{"endpoint":"responses","text":"They greeted."}]"#)
      let output = try await world.chappie("chat", input: "one\n/compact\n/context\n")
      #expect(output.text == "Hello.\nA summary and 0 messages, about 4 tokens, for gpt-6.1-sol\n")
    }
  }

  @Test func helpListsTheCommands() async throws {
    try await World.with { world in
      let output = try await world.chappie("chat", input: "/help\n")
      for command in ["/model", "/compact", "/clear", "/context", "/quit"] { #expect(output.text.contains(command)) }
      #expect(output.status == 0)
    }
  }

  @Test func aFailureSetsTheExitStatus() async throws {
    try await World.with { world in
      let signedOut = try await world.chappie("chat", input: "one\n")
      #expect(signedOut.text == "chappie: Nobody is signed in: run chappie sign-in.\n")
      #expect(signedOut.status == 3)
      let compact = try await world.chappie("chat", input: "/compact\n")
      #expect(compact.status == 1)
      #expect(compact.text.hasPrefix("chappie: "))
      let tooMuch = try await world.chappie("chat", input: String(repeating: "x\n", count: 2 << 20 + 1))
      #expect(tooMuch.status == 2)
      #expect(tooMuch.text.contains("4 MiB"))
    }
  }
}
