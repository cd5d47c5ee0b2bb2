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

  private func world(
    _ templates: [String: String], _ plan: World.Plan = World.Plan(), _ body: @GLibActor (World) async throws -> Void
  ) async throws {
    try await World.with(plan) { world in
      if case .running = plan.service { _ = try await world.signedInCaller() }
      for (name, text) in templates { try await write(text, name, world) }
      try await body(world)
    }
  }

  private func write(_ text: String, _ name: String, _ world: World) async throws {
    _ = try await world.shell(
      #"""
      mkdir -p "${XDG_CONFIG_HOME:-$HOME/.config}/chappie/templates"
      printf %s '\#(text)' >"${XDG_CONFIG_HOME:-$HOME/.config}/chappie/templates/\#(name)"
      """#)
  }

  @Test func aTemplateFillsItsVariables() async throws {
    try await world(["review.txt": Self.review]) { world in
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
    }
  }

  @Test func theQuestionHasItsPlace() async throws {
    let questions = [
      ("plain.txt", "Say hello.\n", "-t plain", "Say hello."),
      ("plain.txt", "Say hello.", "-t plain In French", "Say hello.\n\nIn French"),
      ("plain.txt", "Say hello.", "-t plain -", "Say hello.\n\npiped"),
      ("keys.txt", "[Template]\nEffort=low\n---\n", "-t keys What", "What"),
      ("a.b-c_D1.txt", "$input!", "-t a.b-c_D1", "piped!"),
    ]
    try await World.signedIn(each: questions) { world, _, test in
      let (file, text, words, question) = test
      try await write(text, file, world)
      let output = try await world.shell(#"printf piped >input; "$0" ask \#(words) <input"#)
      #expect(output.text == "You said: “\(question)” This conversation has 1 message.\n")
    }
  }

  @Test func aTemplateThatCannotBeFilledIsRefused() async throws {
    let mistakes = [
      ("-t none What", "There is no template “none”: chappie templates lists them."),
      ("-t ../chappie What", "“../chappie” is no name of a template: use letters, digits, ., _ and -."),
      ("-t .hidden What", "“.hidden” is no name of a template: use letters, digits, ., _ and -."),
      ("-t review What", "The template “review” needs a value: give -p what=VALUE."),
      ("-t review -p what=a -p who=b What", "The template “review” has no variable $who."),
      ("-t review -p what What", "--parameter: “what” is not KEY=VALUE"),
      ("-p what=a What", "--parameter needs a template: give --template."),
      ("-t review -p what=a", "There is nothing to ask: standard input is empty."),
    ]
    try await world(["review.txt": Self.review], World.Plan(service: .none)) { world in
      try await world.each(mistakes) { words, message in
        let output = try await world.shell(#""$0" ask \#(words) </dev/null"#)
        #expect(output.text == "chappie: \(message)\n")
        #expect(output.status == 2)
      }
    }
  }

  /// The others can be used.
  @Test func aWrongTemplateSaysWhatIsWrong() async throws {
    let templates = ["wrong.txt": "[Template]\nReplace=yes\n---\n", "good.txt": "$a $b"]
    try await world(templates, World.Plan(service: .none)) { world in
      let output = try await world.shell(#""$0" ask -t wrong What"#)
      #expect(output.text.hasPrefix("chappie: The template "))
      #expect(
        output.text.hasSuffix("/wrong.txt cannot be used: Replace= is never, offer or at-once, not yes.\n"))
      #expect(output.status == 2)
      let list = try await world.shell(#""$0" templates --json 2>/dev/null | sed 's/"path":"[^"]*",//'"#)
      let good = #"{"template":"good","title":"good","variables":["a","b"],"action":false,"replace":"never"}"#
      #expect(list.text == good + "\n")
    }
  }

  @Test func theListNeedsNoServiceAndNoBus() async throws {
    let templates = ["review.txt": Self.review, "short.txt": "[Template]\nSurfaces=selection\n---\n"]
    try await world(templates, World.Plan(service: .none)) { world in
      let output = try await world.shell(#"env -u DBUS_SESSION_BUS_ADDRESS "$0" templates"#)
      #expect(
        output.text == """
          TEMPLATE  ACTION  VARIABLES              DESCRIPTION
          review            input, language, what  Reviews a change
          short     yes     input

          """)
      #expect(output.status == 0)
      let none = try await world.shell(#"XDG_CONFIG_HOME=/none "$0" templates"#)
      #expect(none.text == "There are no templates: put them into /none/chappie/templates.\n")
    }
  }
}
