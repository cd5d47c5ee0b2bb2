// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// `chappie ask --extract`: the last code block of an answer.
@Suite(.worlds) @GLibActor
struct ExtractedCodeTests {
  private func say(_ answer: String, _ world: World) async throws {
    let text = String(decoding: try JSONEncoder().encode(answer), as: UTF8.self)
    try await world.sandbox.play(#"[{"endpoint":"responses","text":\#(text)}]"#)
  }

  @Test func theLastBlockIsPrintedWhole() async throws {
    let answers = [
      ("a\n```sh\nfirst\n```\nb\n```\nlast <&> ```\n\n  two\n```\nc", "last <&> ```\n\n  two\n"),
      ("````\n```\ninner\n```\n````", "```\ninner\n```\n"),
      ("1. do\n   ~~~c\n   if (a) {\n     b;\n   }\n   ~~~\n2. done", "if (a) {\n  b;\n}\n"),
      ("> ```\n> quoted\n> ```", "quoted\n"),
      ("```\nwithout an end", "without an end\n"),
    ]
    try await World.signedIn(each: answers) { world, _, test in
      let (answer, code) = test
      try await say(answer, world)
      let output = try await world.shell(#""$0" ask -x -o kept Hello"#)
      #expect(output.text == code)
      let kept = try await world.shell("cat kept")
      #expect(kept.text == code)
    }
  }

  @Test func anAnswerWithoutCodeIsAFailure() async throws {
    try await World.signedIn { world, _ in
      for place in ["", "--thread new"] {
        try await say("No code, only `inline`.", world)
        let output = try await world.shell(
          #"echo old >kept; "$0" ask \#(place) -x -o kept Hello 2>error; echo $?; cat error kept"#)
        #expect(output.text == "13\nNo code, only `inline`.\nchappie: The answer has no code block.\nold\n")
      }
      // A refusal is no part of an answer.
      let item =
        #"{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"```\nno\n```"}]}"#
      for form in ["-x", "--schema s.json"] {
        try await world.sandbox.play(
          #"""
          [{"endpoint":"responses","events":[{"type":"response.created","response":{"id":"resp_1"}},
          {"type":"response.output_item.done","item":\#(item)},{"type":"response.completed","response":{"id":"resp_1"}}]}]
          """#)
        let output = try await world.shell(
          #"echo '{}' >s.json; echo old >kept; "$0" ask \#(form) -o kept Hello 2>error; echo $?; cat error kept"#)
        #expect(output.text == "11\n```\nno\n```\nold\n", "\(form)")
      }
    }
  }

  @Test func jsonAndATerminalGetTheCode() async throws {
    try await World.signedIn { world, _ in
      try await say("```\ncode\n```", world)
      let output = try await world.chappie("ask", "-x", "--json", "Hello")
      #expect(output.text.hasPrefix(#"{"text":"code\n","model":"#))
      try await say("none", world)
      let failure = try await world.shell(#""$0" ask -x --json Hello 2>/dev/null"#)
      #expect(failure.text.hasPrefix(#"{"text":"none","model":"#))
      #expect(failure.text.contains(#""exit_status":13"#))
      #expect(failure.status == 13)
      try await say("Use:\n\n```\ncode\n```\n\nDone.", world)
      let shown = try await world.chappie(["ask", "-x", "Hello"], at: [.sees("code")])
      #expect(shown.status == 0)
      #expect(!shown.text.contains("Use") && !shown.text.contains("Done") && !shown.text.contains("`"))
    }
  }
}
