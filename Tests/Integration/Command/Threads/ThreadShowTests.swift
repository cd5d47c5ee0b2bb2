// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import SQLite
import Testing

/// `chappie threads show`.
@Suite(.worlds) @GLibActor
struct ThreadShowTests {
  @Test func eachMessageShowsItsRole() async throws {
    try await World.signedIn { world, _ in
      let thread = try await world.beginThread("Name\n\n    three rivers.")
      let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
      try png.write(to: world.directories.home.appending(path: "cat.png"))
      _ = try await world.chappie("ask", "--thread", thread, "--image", "cat.png", "And this?")
      let lines = try await world.chappie("threads", "show", thread).text.split(
        separator: "\n", omittingEmptySubsequences: false)
      #expect(lines[0] == "Name three rivers.")
      #expect(lines[1].hasPrefix("\(thread), 2 turns, "))
      #expect(lines[2] == "")
      #expect(lines[3].hasPrefix("You, "))
      #expect(lines[4...9] == ["  Name", "", "      three rivers.", "", "gpt-6.1-sol", "  You said: “Name"])
      #expect(lines.contains("  with an image"))
      #expect(!lines.contains { $0.contains("\u{1B}") })
      #expect(lines.last == "")

      // A stored text sends no control sequence to the terminal.
      let hostile = try await world.beginThread("\u{1B}[31mred\u{7}\u{9B}31m \u{202E}txet\r\nnext\tcell")
      // The table's title has no control characters to begin with.
      for (output, signs) in [
        (try await world.chappie("threads"), "[31mred31m \u{FFFD}txet"),
        (try await world.chappie("threads", "show", hostile), "␛[31mred␇\u{FFFD}31m \u{FFFD}txet"),
      ] {
        let obeyed = output.text.unicodeScalars.filter {
          $0 != "\n" && ($0.properties.generalCategory == .control || $0 == "\u{202E}")
        }
        #expect(obeyed.isEmpty, "\(output.text)")
        #expect(output.text.contains(signs), "\(output.text)")
      }
      let shown = try await world.chappie("threads", "show", hostile).text
      #expect(shown.contains("txet\n  next    cell\n"), "\(shown)")

      // A terminal gets wrapped text with marks.
      let word = String(repeating: "x", count: 100)
      let wide = try await world.beginThread("\(Array(repeating: "river", count: 30).joined(separator: " ")) \(word)")
      let terminal = try await world.chappie("threads", "show", wide, at: [.sees("\u{1B}[1mYou\u{1B}[0m")])
      #expect(terminal.status == 0)
      let rows = terminal.text.replacing("\r\n", with: "\n").split(separator: "\n").map { Self.plain($0) }
      #expect(rows.allSatisfy { $0.count <= 80 }, "\(rows)")
      #expect(rows.contains("  " + Array(repeating: "river", count: 13).joined(separator: " ")), "\(rows)")
      #expect(rows.contains("  " + word.prefix(78)), "\(rows)")
    }
  }

  @Test func toolCallsFailuresAndDamageAreSummarised() async throws {
    try await World.signedIn { world, caller in
      let thread = try await world.beginThread("one")
      let handler = try ToolHandler(caller) { _ in "7 °C\nand rain" }
      try await caller.register([Tools.weather], ToolHandler.path)
      try await caller.call("Threads.Send", thread, #"use weather {"city":"Oslo"}"#, VariantDictionary())
      #expect(handler.calls.count == 1)
      try await world.sandbox.play(#"[{"endpoint":"responses","status":400,"body":{"detail":"Not today."}}]"#)
      #expect(try await world.chappie("ask", "--thread", thread, "two").status == 10)
      let shown = try await world.chappie("threads", "show", thread).text
      #expect(
        shown.contains("\n  Tool weather {\"city\":\"Oslo\"}\n\n  weather completed: 7 °C and rain\n"), "\(shown)")
      #expect(shown.contains("\n  two\n\nFailed\n  "), "\(shown)")
      #expect(shown.contains("Not today."))

      let file = try #require(try world.directories.files().keys.first { $0.hasSuffix("/threads.db") })
      let database = try Database(world.directories.root.appending(path: file).path, busyTimeout: .seconds(10))
      try database.run("UPDATE turns SET content = zeroblob(100) WHERE sequence = 1")
      try await world.chappie("threads", "show", thread).expect(0, "\nA part cannot be read, turn 1: ", "  two\n")
      let markdown = try await world.chappie("threads", "export", "--format", "markdown", thread)
      #expect(markdown.text.contains("\n\n**A part cannot be read**, turn 1: "), "\(markdown.text)")
    }
  }

  private static func plain(_ line: Substring) -> String {
    ["\u{1B}[0m", "\u{1B}[1m", "\u{1B}[2m"].reduce(String(line)) { $0.replacing($1, with: "") }
  }
}
