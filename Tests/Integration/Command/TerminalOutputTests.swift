// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Terminal output: no line is longer than the terminal, and no character is missing from its locale.
@Suite(.worlds) @GLibActor
struct TerminalOutputTests {
  @Test func tablesFitTheTerminal() async throws {
    try await World.signedIn { world, _ in
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
}
