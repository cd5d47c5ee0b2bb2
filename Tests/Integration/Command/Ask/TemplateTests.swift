// SPDX-License-Identifier: Apache-2.0

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

  @Test func aTemplateFillsItsVariables() async throws {
    let (world, _) = try await World.signedIn()
    try world.directories.configure(Self.review, in: "templates/review.txt")
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
      try world.directories.configure(text, in: "templates/\(file)")
      let placed = try await world.shell(#"printf piped >input; "$0" ask \#(words) <input"#)
      #expect(placed.text == "You said: “\(question)” This conversation has 1 message.\n")
    }
  }

  @Test func theListNeedsNoServiceAndNoBus() async throws {
    let world = try await World.begin(World.Plan(keyring: .none, service: .none))
    let none = try await world.shell(#"XDG_CONFIG_HOME=/none "$0" templates"#)
    #expect(none.text == "There are no templates: put them into /none/chappie/templates.\n")
    try world.directories.configure(Self.review, in: "templates/review.txt")
    try world.directories.configure("[Template]\nSurfaces=selection\n---\n", in: "templates/short.txt")
    try await world.shell(#"env -u DBUS_SESSION_BUS_ADDRESS "$0" templates"#)
      .expect(
        only: """
          TEMPLATE  ACTION  VARIABLES              DESCRIPTION
          review            input, language, what  Reviews a change
          short     yes     input

          """)
    // A wrong template says what is wrong, and the others can be used.
    try world.directories.configure("[Template]\nReplace=yes\n---\n", in: "templates/wrong.txt")
    try await world.shell(#""$0" ask -t wrong What"#)
      .expect(
        2, beginning: "chappie: The template ",
        ending: "/wrong.txt cannot be used: Replace= is never, offer or at-once, not yes.\n")
    let list = try await world.shell(
      #""$0" templates --json 2>/dev/null | sed 's/"path":"[^"]*",//' | grep short"#)
    let short = #"{"template":"short","title":"short","variables":["input"],"action":true,"replace":"never"}"#
    #expect(list.text == short + "\n")
  }
}
