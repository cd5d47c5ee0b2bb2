// SPDX-License-Identifier: Apache-2.0

/// Terminal output: no line is longer than the terminal, and no character is missing from its locale.
@Suite(.worlds) @GLibActor
struct TerminalOutputTests {
  @Test func tablesFitTheTerminal() async throws {
    let (world, _) = try await World.signedIn()
    _ = try await world.beginThread("Something with a rather long title")
    try await world.each([80, 44, 24]) { columns in
      for verb in ["models", "usage", "threads", "accounts", "doctor"] {
        let output = try await world.chappie([verb], at: [], columns: columns)
        #expect(output.status == 0)
        let lines = output.text.split(whereSeparator: \.isNewline)
        #expect(!lines.isEmpty)
        for line in lines { #expect(line.columns <= columns, "\(verb): \(output.text)") }
      }
      let models = try await world.chappie(["models"], at: [], columns: columns).text
      let plain = try await world.chappie("models").text
      for word in plain.split(separator: "\n").dropFirst().joined(separator: " ").split(separator: " ")
      where columns > 24 {
        #expect(models.contains(word), "\(word): \(models)")
      }
      let usage = try await world.chappie(["usage"], at: [], columns: columns).text
      #expect(usage.contains("5-hour limit") && usage.contains("resets"), "\(usage)")
    }
  }

  @Test func helpBreaksNoWord() async throws {
    try await World.with(World.Plan(keyring: .none, service: .none), each: [40, 80]) { world, columns in
      for line in [[], ["help"], ["ask", "--help"], ["threads", "--help"], ["help", "sign-in"]] {
        let shown = try await world.chappie(line, at: [], columns: columns).text
        let plain = try await world.chappie(line).text
        func words(_ text: String) -> [Substring] { text.split(whereSeparator: \.isWhitespace) }
        #expect(words(shown) == words(plain), "\(line): \(shown)")
        for row in shown.split(whereSeparator: \.isNewline) { #expect(row.columns <= columns, "\(line): \(shown)") }
      }
      // The command alone shows a screen.
      let output = try await world.chappie([], at: [], columns: 80)
      let lines = output.text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.count <= 23, "\(output.text)")
      #expect(output.text.contains("chappie help") && output.text.contains("chappie \"What is a bus?\""))
      #expect(output.status == 2)
    }
  }

  /// The locale's name decides, even where the machine does not have that locale.
  @Test func aLocaleWithoutUnicodeGetsASCII() async throws {
    let locales = [
      ("C", false), ("POSIX", false), ("en_US.ISO-8859-1", false), ("C.UTF-8", true), ("xx_XX.utf8", true),
      ("xx_XX.UTF-8@euro", true),
    ]
    try await World.signedIn(each: locales) { world, _, test in
      let (locale, isUnicode) = test
      let environment = ["LC_ALL": locale]
      let (question, answer) =
        isUnicode ? ("Zürich …", "You said: “Zürich …” This") : ("Zürich … 你", "You said: \"Zurich ... ?\" This")
      try await world.chappie(["ask", question], at: [.sees(answer)], environment: environment).expect(0)
      let usage = try await world.chappie(["usage"], at: [], environment: environment)
      #expect(usage.text.contains(isUnicode ? "█░" : "#..."), "\(usage.text)")
      let (prompt, said) = isUnicode ? ("› ", "You said: “Zürich”") : ("> ", "You said: \"Zurich\"")
      let chat = try await world.chappie(
        ["chat"],
        at: [
          .prompt(prompt), .types("Zürixch\(TerminalStep.left)\(TerminalStep.left)\u{7F}\(TerminalStep.enter)"),
          .sees(said), .prompt(prompt), .types(TerminalStep.end),
        ], environment: environment)
      #expect(chat.status == 0, "\(chat.text)")
      if !isUnicode {
        for text in [usage.text, chat.text] { #expect(text.utf8.allSatisfy { $0 < 0x80 }, "\(text)") }
      }
      #expect(try await world.sandbox.state().lastInput == ["user: Zürich"])
      // Output to a program is UTF-8 everywhere.
      let piped = try await world.chappie(["ask", "Zürich …"], environment: environment)
      #expect(piped.text == "You said: “Zürich …” This conversation has 1 message.\n")
    }
  }

  private static let lines = [
    "--version", "--help", "threads --help", "threads", "threads --json", "threads show last", "threads export last",
    "threads usage", "ask Hello", "ask --json Hello", "monitor",
  ]

  @Test func aFullDiskAndAClosedOutputAreReported() async throws {
    let (world, _) = try await World.signedIn()
    _ = try await world.beginThread("one")
    for (output, reason) in [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")] {
      for line in Self.lines {
        let failed = try await world.shell(#""$0" \#(line) \#(output)"#)
        #expect(failed.status == 1, "\(line)")
        #expect(failed.text == "chappie: Standard output cannot be written: \(reason).\n", "\(line)")
      }
    }
    #expect(try await world.shell(#"echo one | "$0" chat >/dev/full"#).status == 1)
    // Output goes to no file that is opened later under the closed descriptor's number.
    try await world.shell(#""$0" threads show nonsense >&- 2>&-"#).expect(1, only: "")
    // An error's own status stays.
    #expect(try await world.shell(#""$0" >/dev/full"#).status == 2)
    // A reader that stops is no failure.
    _ = try await world.chappie("ask", "--thread", "new", input: String(repeating: "river ", count: 100_000))
    let stopped = try await world.shell(
      #"{ "$0" threads export last; echo "ended with $?" >&2; } | head -c 10 >/dev/null"#)
    #expect(stopped.text == "ended with 0\n")
  }
}

extension World {
  /// Runs a line of a shell, for which `$0` is `chappie`.
  func shell(_ line: String) async throws -> Output {
    try await Output.of("/bin/sh", ["-c", line, Binaries.chappie], in: directories)
  }
}
