// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// Output to a terminal and as JSON contains no control characters from answers, arguments or titles.
@Suite(.worlds) @GLibActor
struct ControlCharacterOutputTests {
  private static let text = "\u{1B}[31mred\u{9B}31m \u{202E}txet\u{2067}\u{7F}\tcell\nnext"
  private static let shown = "␛[31mred\u{FFFD}31m \u{FFFD}txet\u{FFFD}␡"

  /// A world with this answer.
  private func world(_ body: @GLibActor (World, Caller) async throws -> Void) async throws {
    try await World.signedIn { world, caller in
      let text = String(decoding: try JSONEncoder().encode(Self.text), as: UTF8.self)
      try await world.sandbox.play(#"[{"endpoint":"responses","times":"always","text":\#(text)}]"#)
      try await body(world, caller)
    }
  }

  /// The control characters in `text`, other than line ends.
  private static func controlCharacters(_ text: String) -> [Unicode.Scalar] {
    text.unicodeScalars.filter {
      $0 != "\n" && ($0.properties.generalCategory == .control || $0.properties.isBidiControl)
    }
  }

  @Test func answersAtATerminalHaveNoControlCharacters() async throws {
    try await world { world, _ in
      let asked = try await world.chappie("ask", "Hello", at: [.sees(Self.shown), .sees("cell"), .sees("next")])
      #expect(asked.status == 0, "\(asked.text)")
      #expect(!asked.text.contains("\u{1B}[31m"))
      let chat = try await world.chat(["Hello": Self.shown, "/\u{202E}x": "There is no /\u{FFFD}x"])
      #expect(!chat.text.contains("\u{1B}[31m"))
      _ = try await world.chappie("ask", "--continue", "Hello")
      try await world.chappie("context", "--messages", at: [.sees(Self.shown)]).expect(0)
      // A file or a pipe receives them unchanged.
      #expect(try await world.chappie("ask", "Hello").text == Self.text + "\n")
      #expect(try await world.chappie("chat", input: "Hello\n").text == Self.text + "\n")
    }
  }

  @Test func jsonAndErrorsEscapeControlCharacters() async throws {
    try await world { world, caller in
      let thread = try await world.beginThread("a\u{202E}b")
      let answer = try await world.chappie("ask", "--json", "Hello")
      #expect(Self.controlCharacters(answer.text).isEmpty, "\(answer.text)")
      #expect(answer.text.contains(#"red\u009b31m \u202etxet\u2067\u007f\tcell\nnext"#), "\(answer.text)")
      struct Answered: Decodable {
        let text: String
      }
      #expect(try JSONDecoder().decode(Answered.self, from: Data(answer.text.utf8)).text == Self.text)
      #expect(try await world.chappie("threads", "--json").text.contains(#""title":"a\u202eb""#))

      let exported = try await world.chappie("threads", "export", "--format", "json", thread)
      #expect(Self.controlCharacters(exported.text).isEmpty, "\(exported.text)")
      let json: String = try await caller.call("Threads.Get", thread).member(0, "json")
      #expect(json + "\n" != exported.text)
      let objects = try [json, exported.text].map {
        try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? NSDictionary)
      }
      #expect(objects[0] == objects[1])

      // Errors escape arguments.
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
