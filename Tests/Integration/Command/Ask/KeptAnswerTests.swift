// SPDX-License-Identifier: Apache-2.0

/// `chappie ask --output`: a file that keeps the answer.
@Suite(.worlds) @GLibActor
struct KeptAnswerTests {
  @Test func theAnswerIsShownAndKept() async throws {
    let (world, _) = try await World.signedIn()
    let answer = "You said: “Hello” This conversation has 1 message.\n"
    for place in ["--continue", "", "--thread new"] {
      let output = try await world.shell(
        #"echo old >answer; "$0" ask \#(place) -o answer Hello; stat -c %a answer; cat answer"#)
      #expect(output.text == "\(answer)600\n\(answer)", "\(place)")
    }
    // The text is kept beside JSON.
    let json = try await world.shell(
      #""$0" ask --json -o answer Hello >json && grep -c '"text"' json && cat answer"#)
    #expect(json.text == "1\n\(answer)")
    // Nothing is asked for a file that cannot be.
    let count = try await world.sandbox.state().requests["responses"]
    for (file, sentence) in [
      ("none/answer", "none/answer cannot be written: its directory does not exist, make it first."),
      (".", ". is a directory: name a file in it."),
    ] {
      try await world.chappie("ask", "-o", file, "Hello").expect(1, only: "chappie: \(sentence)\n")
    }
    // The file behind standard output has more than the answer.
    let output = try await world.shell(#"{ "$0" ask -o /dev/stdout Hello; echo last; } >>kept 2>&1; cat kept"#)
    #expect(output.text == "chappie: /dev/stdout is a socket or a device: name a file.\nlast\n")
    #expect(try await world.sandbox.state().requests["responses"] == count)
    // A failed answer leaves the file alone.
    let failed = try await world.shell(
      #"echo old >answer; "$0" ask --account none -o answer Hello; echo $?; cat answer"#)
    #expect(failed.text.hasSuffix("3\nold\n"))
    // A full disk is a failure after the answer.
    try await world.chappie("ask", "-o", "/dev/full", "--json", "Hello")
      .expect(
        1, "chappie: /dev/full cannot be written: the disk is full.",
        #""text":"You said: “Hello” This conversation has 1 message.""#)
  }

  /// The code is printed before the file is opened. A signal in between is the main loop's, so it is sent again.
  @Test func aPipeThatNobodyReadsCanBeLeft() async throws {
    let (world, _) = try await World.signedIn()
    try await world.sandbox.play(#"[{"endpoint":"responses","text":"```\nls\n```"}]"#)
    let output = try await world.shell(
      #"""
      mkfifo pipe; "$0" ask -x -o pipe Hello >code & until [ -s code ] || ! kill -0 $! 2>none; do sleep 0.1; done
      while kill $! 2>none; do sleep 0.1; done; wait $!; echo $?; cat code
      """#)
    #expect(output.text.hasSuffix("143\nls\n"), "\(output.text)")
  }

  private nonisolated static let strict =
    #"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}"#
  private nonisolated static let loose = #"{"type":"object","properties":{"n":{"type":"integer","minimum":3}}}"#

  @Test func theModelIsAskedForTheFormAndTheAnswerIsChecked() async throws {
    let answers = [
      (#"{"n":"one"}"#, "The answer does not fit the schema: /n: must be an integer."),
      (#"{}"#, "The answer does not fit the schema: /: must have the property 'n'."),
      ("```json\n{\"n\":1}\n```", "The answer is no JSON."),
    ]
    let (world, _) = try await World.signedIn()
    for place in ["--continue", "", "--thread new"] {
      for (schema, answer) in [(Self.strict, #"{"n":0}"#), (Self.loose, #"{"n":3}"#)] {
        let output = try await world.shell(
          #"printf %s '\#(schema)' >s.json; rm -f kept; "$0" ask \#(place) --schema s.json -o kept Count && cat kept"#
        )
        #expect(output.text == "\(answer)\n\(answer)\n", "\(place)")
      }
    }
    for (answer, message) in answers {
      try await world.sandbox.say(answer)
      let output = try await world.shell(
        #"""
        printf %s '\#(Self.strict)' >s.json; echo old >kept
        "$0" ask --schema s.json -o kept Count 2>error; echo $?; cat error kept
        "$0" ask --schema s.json --json Count 2>/dev/null | grep -c '"exit_status":13'
        """#)
      #expect(output.text == "13\n\(answer)\nchappie: \(message)\nold\n1\n")
    }
  }

  // MARK: The last code block

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
      try await world.sandbox.say(answer)
      let output = try await world.shell(#""$0" ask -x -o kept Hello"#)
      #expect(output.text == code)
      let kept = try await world.shell("cat kept")
      #expect(kept.text == code)
    }
  }

  @Test func anAnswerWithoutCodeIsAFailureAndJSONAndATerminalGetTheCode() async throws {
    let (world, _) = try await World.signedIn()
    for place in ["", "--thread new"] {
      try await world.sandbox.say("No code, only `inline`.")
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

    try await world.sandbox.say("```\ncode\n```")
    let output = try await world.chappie("ask", "-x", "--json", "Hello")
    #expect(output.text.hasPrefix(#"{"text":"code\n","model":"#))
    try await world.sandbox.say("none")
    try await world.shell(#""$0" ask -x --json Hello 2>/dev/null"#)
      .expect(13, #""exit_status":13"#, beginning: #"{"text":"none","model":"#)
    try await world.sandbox.say("Use:\n\n```\ncode\n```\n\nDone.")
    let shown = try await world.chappie(["ask", "-x", "Hello"], at: [.sees("code")])
    #expect(shown.status == 0)
    #expect(!shown.text.contains("Use") && !shown.text.contains("Done") && !shown.text.contains("`"))
  }
}
