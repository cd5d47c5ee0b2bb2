// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// `chappie ask --template` and `chappie templates`.
@Suite(.worlds) @GLibActor
struct TemplateTests {
  private static let review = """
    [Template]
    Description=Reviews a change
    Instructions=Answer in $language.
    Model=gpt-6-sol
    Effort=high

    [Variables]
    language=English
    ---
    Review this for $what: ${what}s cost $$5 or $ 6.

    $input

    """

  private func write(_ text: String, _ name: String, _ world: World) async throws {
    _ = try await world.shell(
      #"""
      mkdir -p "${XDG_CONFIG_HOME:-$HOME/.config}/chappie/templates"
      printf %s '\#(text)' >"${XDG_CONFIG_HOME:-$HOME/.config}/chappie/templates/\#(name)"
      """#)
  }

  @Test func aTemplateFillsItsVariables() async throws {
    try await World.signedIn { world, _ in
      try await write(Self.review, "review.txt", world)
      let output = try await world.shell(#"printf 'a $what\n' | "$0" ask -t review -p what=lock -p language=German"#)
      #expect(
        output.text == """
          You said: “Review this for lock: locks cost $5 or $ 6.

          a $what” This conversation has 1 message.

          """)
      let body = try #require(try await world.sandbox.state().lastResponsesRequest.body)
      #expect(body.model == "gpt-6-sol")
      #expect(body.reasoning?.effort == "high")
      #expect(body.instructions.hasSuffix("\n\nAnswer in German."))
      _ = try await world.chappie(
        "ask", "-t", "review", "-p", "what=lock", "-m", "gpt-6-luna", "--effort", "low", "-s", "Be short.", "a")
      let other = try #require(try await world.sandbox.state().lastResponsesRequest.body)
      #expect(other.model == "gpt-6-luna")
      #expect(other.reasoning?.effort == "low")
      #expect(other.instructions.hasSuffix("\n\nAnswer in English.\n\nBe short."))
      // The question has its place.
      for (file, text, words, question) in [
        ("plain.txt", "Say hello.\n", "-t plain", "Say hello."),
        ("plain.txt", "Say hello.", "-t plain In French", "Say hello.\n\nIn French"),
        ("plain.txt", "Say hello.", "-t plain -", "Say hello.\n\npiped"),
        ("keys.txt", "[Template]\nEffort=low\n---\n", "-t keys What", "What"),
        ("a.b-c_D1.txt", "$input!", "-t a.b-c_D1", "piped!"),
      ] {
        try await write(text, file, world)
        let placed = try await world.shell(#"printf piped >input; "$0" ask \#(words) <input"#)
        #expect(placed.text == "You said: “\(question)” This conversation has 1 message.\n")
      }
    }
  }

  @Test func theListNeedsNoServiceAndNoBus() async throws {
    try await World.with(World.Plan(keyring: .none, service: .none)) { world in
      let none = try await world.shell(#"XDG_CONFIG_HOME=/none "$0" templates"#)
      #expect(none.text == "There are no templates: put them into /none/chappie/templates.\n")
      try await write(Self.review, "review.txt", world)
      try await write("[Template]\nSurfaces=selection\n---\n", "short.txt", world)
      let output = try await world.shell(#"env -u DBUS_SESSION_BUS_ADDRESS "$0" templates"#)
      #expect(
        output.text == """
          TEMPLATE  ACTION  VARIABLES              DESCRIPTION
          review            input, language, what  Reviews a change
          short     yes     input

          """)
      #expect(output.status == 0)
      // A wrong template says what is wrong, and the others can be used.
      try await write("[Template]\nReplace=yes\n---\n", "wrong.txt", world)
      let wrong = try await world.shell(#""$0" ask -t wrong What"#)
      #expect(wrong.text.hasPrefix("chappie: The template "))
      #expect(wrong.text.hasSuffix("/wrong.txt cannot be used: Replace= is never, offer or at-once, not yes.\n"))
      #expect(wrong.status == 2)
      let list = try await world.shell(
        #""$0" templates --json 2>/dev/null | sed 's/"path":"[^"]*",//' | grep short"#)
      let short = #"{"template":"short","title":"short","variables":["input"],"action":true,"replace":"never"}"#
      #expect(list.text == short + "\n")
    }
  }
}
