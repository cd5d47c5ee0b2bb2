// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// Output to a terminal and as JSON contains no control characters from answers, arguments or titles.
@Suite(.worlds) @GLibActor
struct ControlCharacterOutputTests {
  private static let text = "\u{1B}[31mred\u{9B}31m \u{202E}txet\u{2067}\u{7F}\tcell\nnext"
  private static let shown = "␛[31mred\u{FFFD}31m \u{FFFD}txet\u{FFFD}␡"

  private static func play(_ world: World) async throws {
    let text = String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
    try await world.sandbox.play(#"[{"endpoint":"responses","times":"always","text":\#(text)}]"#)
  }

  /// The control characters in `text`, other than line ends.
  private static func controlCharacters(_ text: String) -> [Unicode.Scalar] {
    text.unicodeScalars.filter {
      $0 != "\n" && ($0.properties.generalCategory == .control || $0.properties.isBidiControl)
    }
  }

  @Test func answersAtATerminalHaveNoControlCharacters() async throws {
    try await World.signedIn { world, _ in
      try await Self.play(world)
      let asked = try await world.chappie("ask", "Hello", at: [.sees(Self.shown), .sees("cell"), .sees("next")])
      #expect(asked.status == 0, "\(asked.text)")
      #expect(!asked.text.contains("\u{1B}[31m"))
      let chat = try await world.chappie(
        "chat",
        at: [
          .prompt, .types("Hello\(TerminalStep.enter)"), .sees(Self.shown), .sees("next"), .prompt,
          .types("/\u{202E}x\(TerminalStep.enter)"), .sees("There is no /\u{FFFD}x"), .prompt,
          .types(TerminalStep.end),
        ])
      #expect(chat.status == 0, "\(chat.text)")
      #expect(!chat.text.contains("\u{1B}[31m"))
      _ = try await world.chappie("ask", "--continue", "Hello")
      let context = try await world.chappie("context", "--messages", at: [.sees(Self.shown)])
      #expect(context.status == 0, "\(context.text)")
    }
  }

  @Test func aFileReceivesAnswersUnchanged() async throws {
    try await World.signedIn { world, _ in
      try await Self.play(world)
      #expect(try await world.chappie("ask", "Hello").text == Self.text + "\n")
      #expect(try await world.chappie("chat", input: "Hello\n").text == Self.text + "\n")
    }
  }

  @Test func jsonEscapesControlCharacters() async throws {
    try await World.signedIn { world, caller in
      try await Self.play(world)
      let thread = try await world.beginThread("a\u{202E}b")
      let answer = try await world.chappie("ask", "--json", "Hello")
      #expect(Self.controlCharacters(answer.text).isEmpty, "\(answer.text)")
      #expect(answer.text.contains(#"red\u009b31m \u202etxet\u2067\u007f\tcell\nnext"#), "\(answer.text)")
      #expect(try JSONDecoder().decode(Answered.self, from: Data(answer.text.utf8)).text == Self.text)
      #expect(try await world.chappie("threads", "--json").text.contains(#""title":"a\u202eb""#))

      let exported = try await world.chappie("threads", "export", thread)
      #expect(Self.controlCharacters(exported.text).isEmpty, "\(exported.text)")
      let json: String = try await caller.call("Threads.Get", thread).member(0, "json")
      #expect(json + "\n" != exported.text)
      let objects = try [json, exported.text].map {
        try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? NSDictionary)
      }
      #expect(objects[0] == objects[1])
    }
  }

  private struct Answered: Decodable {
    let text: String
  }

  @Test func errorsEscapeArguments() async throws {
    try await World.signedIn { world, _ in
      _ = try await world.beginThread("one")
      for line in [
        ["help", "\u{1B}[31m"], ["threads", "\u{1B}[31m"], ["threads", "--\u{1B}[31m"],
        ["threads", "list", "\u{1B}[31m"],
        ["threads", "export", "--format", "\u{1B}[31m", "last"], ["threads", "--limit", "\u{1B}[31m"],
        ["threads", "show", "\u{1B}[31m"], ["threads", "--account", "\u{1B}[31m"],
        ["threads", "export", "last", "-o", "nowhere/\u{1B}[31m"],
      ] {
        let output = try await world.chappie(line)
        #expect(output.status != 0)
        #expect(output.text.hasPrefix("chappie: "), "\(output.text)")
        #expect(output.text.contains("␛[31m"), "\(output.text)")
        #expect(Self.controlCharacters(output.text).isEmpty, "\(output.text)")
      }
    }
  }
}
