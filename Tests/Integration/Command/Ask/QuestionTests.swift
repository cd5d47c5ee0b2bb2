// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// The question of `chappie ask`: its arguments, and standard input where the arguments ask for it.
@Suite(.worlds) @GLibActor
struct QuestionTests {
  @Test func aDashIsStandardInputAndATextWithoutAVerbIsAsked() async throws {
    let questions = [
      ("", "piped"), ("-", "piped"), ("Review -", "Review\n\npiped"), ("- Review this", "piped\n\nReview this"),
      ("Review - this", "Review\n\npiped\n\nthis"), ("Review this", "Review this"), ("-- -", "piped"),
    ]
    // A text that begins with no verb is a question; what is piped in belongs to it.
    let lines = [
      (#""$0" "What is a bus?" </dev/null"#, "What is a bus?"), (#""$0" --fast What now? </dev/null"#, "What now?"),
      (#"echo piped | "$0" "Shorten this""#, "Shorten this\n\npiped"),
      (#"echo piped | "$0" Shorten - please"#, "Shorten\n\npiped\n\nplease"),
      (#"echo piped | "$0" --file=- Shorten"#, "Shorten\n\nFile: standard input\n```\npiped\n```"),
      // Words that resemble a verb and begin otherwise, and commands of other programs before a whole question.
      (#""$0" What is a bus? </dev/null"#, "What is a bus?"), (#""$0" Task </dev/null"#, "Task"),
      (#""$0" hat </dev/null"#, "hat"), (#""$0" list three rivers </dev/null"#, "list three rivers"),
    ]
    try await World.signedIn { world, _ in
      for (line, question) in lines {
        let output = try await world.shell(line)
        #expect(output.text == "You said: “\(question)” This conversation has 1 message.\n")
      }
      for (words, question) in questions {
        let output = try await world.shell(#"printf 'piped\n\n' | "$0" ask \#(words)"#)
        #expect(output.text == "You said: “\(question)” This conversation has 1 message.\n")
      }
      // A silent input is announced: the pipe stays open until then.
      let silent = try await world.shell(
        #"mkfifo said; { read -r line <said; echo piped; } | "$0" ask - 2>said"#)
      #expect(silent.text == "You said: “piped” This conversation has 1 message.\n")
      // A loop of a shell keeps its input.
      let loop = try await world.shell(
        #"printf 'one\ntwo\nthree\n' | while read -r line; do "$0" ask "$line"; done"#)
      #expect(
        loop.text == """
          You said: “one” This conversation has 1 message.
          You said: “two” This conversation has 1 message.
          You said: “three” This conversation has 1 message.

          """)
    }
  }
}
