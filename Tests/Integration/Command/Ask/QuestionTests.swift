// SPDX-License-Identifier: Apache-2.0

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
    let (world, _) = try await World.signedIn()
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

  @Test func filesAndImagesComeWithTheQuestion() async throws {
    let (world, _) = try await World.signedIn()
    let output = try await world.shell(
      #"""
      printf 'one\n' >a.txt; printf '\357\273\277two' >'b c.md'; printf 'three' | "$0" ask Compare -f a.txt -f 'b c.md' -f -
      """#)
    #expect(
      output.text == """
        You said: “Compare

        File: a.txt
        ```
        one
        ```

        File: b c.md
        ```
        two
        ```

        File: standard input
        ```
        three
        ```” This conversation has 1 message.

        """)
    // A fence in a file does not end it.
    try await world.shell(#"printf '````\ncode\n````\n' >a.md; "$0" ask -f a.md </dev/null"#)
      .expect(0, "File: a.md\n`````\n````\ncode\n````\n`````”")
    let thread = try await world.shell(
      #"echo one >a.txt; "$0" ask --thread new -f a.txt --json Read | grep -c '"thread":".*File: a.txt'"#)
    #expect(thread.text == "1\n")
    // Documents go as files.
    let documents = try await world.shell(
      #"""
      printf '%%PDF-1.7\n' >a.pdf; "$0" ask Read -f a.pdf --json | grep -o 'came with.*a.pdf\|"files_as":"[a-z]*"'
      "$0" ask Read -f - <a.pdf | grep -o 'came with [a-z]*'
      """#)
    #expect(documents.text == "came with a.pdf\n\"files_as\":\"inline\"\ncame with document\n")

    // Images come with it too.
    let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    try png.write(to: world.directories.home.appending(path: "a cat.png"))
    // The path is relative to the command's working directory, which is the home here.
    let images = try await world.chappie(
      "ask", "--image", "a cat.png", "--image=https://example.org/cat.png", "What is this?")
    #expect(
      images.text == "You said: “What is this?” It came with 2 images. This conversation has 1 message.\n")
    let address = "data:image/png;base64,\(png.base64EncodedString())"
    #expect(try await world.sandbox.state().lastImages == [address, "https://example.org/cat.png"])
    try await world.chappie("ask", "--image", "dog.png", "What is this?")
      .expect(1, beginning: "chappie: The image \(world.directories.home.path)/dog.png cannot be used")
    // Standard input can be one.
    let piped = try await world.shell(#"cat 'a cat.png' | "$0" ask --image - 'What is this?'"#)
    #expect(piped.text == "You said: “What is this?” It came with 1 image. This conversation has 1 message.\n")
    #expect(try await world.sandbox.state().lastImages == [address])
  }

  @Test func noWordOfAQuestionOrAChatPassesTheBus() async throws {
    let (world, _) = try await World.signedIn()
    let capture = try await BusCapture(world.directories)
    for options in [[], ["--continue"], ["--json"], ["--thread", "new"], ["--thread", "last"], ["--fast"]] {
      let output = try await world.chappie(["ask"] + options + ["Where does the platypus live?"])
      #expect(output.text.contains("You said: “Where does the platypus live?”"), "\(options): \(output.text)")
    }
    let piped = try await world.chappie("ask", "Hidden", "-", input: "platypus")
    #expect(piped.text.contains("platypus"))
    let image = try await world.shell(#"printf '\211PNG\r\n\032\n' | "$0" ask --image - "A platypus?""#)
    #expect(image.text.contains("It came with 1 image."))
    for arguments in [[], ["--thread", "new"]] {
      try await world.chat(
        ["A platypus?": "You said: “A platypus?”", "Another platypus?": "You said: “Another platypus?”"],
        with: arguments)
    }
    #expect(try await world.chappie("chat", input: "A platypus?\n").text.contains("You said: “A platypus?”"))
    try await capture.end()
    for word in ["platypus", "You said", "This conversation", "iVBORw0KGgo"] {
      #expect(try capture.occurrences(of: word) == 0, "\(word)")
    }
    #expect(try capture.occurrences(of: "OpenTurn") > 0)
  }
}
