// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// The question of `chappie ask`: its arguments, and standard input where the arguments ask for it.
@Suite(.worlds) @GLibActor
struct QuestionTests {
  @Test func aShellLoopKeepsItsInput() async throws {
    try await World.signedIn { world, _ in
      let output = try await world.shell(
        #"printf 'one\ntwo\nthree\n' | while read -r line; do "$0" ask "$line"; done"#)
      #expect(
        output.text == """
          You said: “one” This conversation has 1 message.
          You said: “two” This conversation has 1 message.
          You said: “three” This conversation has 1 message.

          """)
      #expect(output.status == 0)
    }
  }

  @Test func aDashIsStandardInput() async throws {
    let questions = [
      ("", "piped"), ("-", "piped"), ("Review -", "Review\n\npiped"), ("- Review this", "piped\n\nReview this"),
      ("Review - this", "Review\n\npiped\n\nthis"), ("Review this", "Review this"), ("-- -", "piped"),
    ]
    try await World.signedIn(each: questions) { world, _, test in
      let (words, question) = test
      let output = try await world.shell(#"printf 'piped\n\n' | "$0" ask \#(words)"#)
      #expect(output.text == "You said: “\(question)” This conversation has 1 message.\n")
    }
  }

  /// A text that begins with no verb is a question; what is piped in belongs to it.
  @Test func aTextWithoutAVerbIsAsked() async throws {
    let questions = [
      (#""$0" "What is a bus?" </dev/null"#, "What is a bus?"), (#""$0" --fast What now? </dev/null"#, "What now?"),
      (#"echo piped | "$0" "Shorten this""#, "Shorten this\n\npiped"),
      (#"echo piped | "$0" Shorten - please"#, "Shorten\n\npiped\n\nplease"),
      (#"echo piped | "$0" --file=- Shorten"#, "Shorten\n\nFile: standard input\n```\npiped\n```"),
      // Words that resemble a verb and begin otherwise, and commands of other programs before a whole question.
      (#""$0" What is a bus? </dev/null"#, "What is a bus?"), (#""$0" Task </dev/null"#, "Task"),
      (#""$0" hat </dev/null"#, "hat"), (#""$0" list three rivers </dev/null"#, "list three rivers"),
    ]
    try await World.signedIn(each: questions) { world, _, test in
      let (line, question) = test
      let output = try await world.shell(line)
      #expect(output.text == "You said: “\(question)” This conversation has 1 message.\n")
    }
  }

  @Test func aTextThatIsNearlyAVerbIsAMistake() async throws {
    let mistakes = [
      "statsu", "signin", "caht", "asl hello", "--verison", "threds list", "login", "logout", "export last",
      "delete last --yes", "Show 63ae42d3", "help login", "help sattus",
    ]
    try await World.with(World.Plan(keyring: .none, service: .none), each: mistakes) { world, words in
      let output = try await world.shell(#""$0" \#(words) </dev/null"#)
      #expect(output.text.hasPrefix("chappie: There is no command"), "\(output.text)")
      #expect(output.text.contains("Did you mean"), "\(output.text)")
      #expect(output.status == 2)
    }
  }

  /// A variable of a script may be empty; what is piped in is no question then.
  @Test func anEmptyArgumentIsAMistake() async throws {
    let mistakes = ["''", "--fast ' '", "Sum up ''"]
    try await World.with(World.Plan(keyring: .none, service: .none), each: mistakes) { world, words in
      let output = try await world.shell(#"echo piped | "$0" \#(words)"#)
      #expect(output.text.hasPrefix("chappie: The text has an empty argument"), "\(output.text)")
      #expect(output.status == 2)
    }
  }

  @Test func aSilentInputIsAnnounced() async throws {
    try await World.signedIn { world, _ in
      // The pipe stays open until the announcement is there.
      let output = try await world.shell(
        #"mkfifo said; { read -r line <said; echo piped; } | "$0" ask - 2>said"#)
      #expect(output.text == "You said: “piped” This conversation has 1 message.\n")
    }
  }

  @Test func standardInputCanBeNamedOnce() async throws {
    try await World.with(each: ["- -", "--image - -", "--image - --image - What"]) { world, words in
      let output = try await world.shell(#"echo piped | "$0" ask \#(words)"#)
      #expect(output.text == "chappie: Standard input can be given once: give - once.\n")
      #expect(output.status == 2)
    }
  }

  @Test func anEmptyQuestionIsRefused() async throws {
    try await World.with(each: ["", "-", "''", "--image -"]) { world, words in
      let output = try await world.shell(#"printf '\211PNG\r\n\032\n' | tail -c 8 >image; "$0" ask \#(words) <image"#)
      let empty = try await world.shell(#""$0" ask \#(words) </dev/null"#)
      #expect(empty.text.hasPrefix("chappie: "))
      #expect(empty.status == 2)
      if words == "--image -" { #expect(output.text.hasPrefix("chappie: There is nothing to ask")) }
    }
  }

  @Test func standardInputCanBeAnImage() async throws {
    try await World.signedIn { world, _ in
      let png = #"printf '\211PNG\r\n\032\n'"#
      let output = try await world.shell(#"\#(png) | "$0" ask --image - 'What is this?'"#)
      #expect(output.text == "You said: “What is this?” It came with 1 image. This conversation has 1 message.\n")
      #expect(try await world.sandbox.state().lastImages == ["data:image/png;base64,iVBORw0KGgo="])
      let text = try await world.shell(#"echo text | "$0" ask --image - 'What is this?'"#)
      #expect(text.text == "chappie: Standard input holds no PNG, JPEG, GIF or WebP image.\n")
      let large = try await world.shell(#"head -c 9000000 /dev/zero | "$0" ask --image - 'What is this?'"#)
      #expect(large.text.contains("chappie: The image on standard input is larger than 8 MiB.\n"))
      #expect(text.status == 2 && large.status == 2)
    }
  }
}
