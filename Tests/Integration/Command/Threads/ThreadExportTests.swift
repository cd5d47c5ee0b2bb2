// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// `chappie threads export`.
@Suite(.worlds) @GLibActor
struct ThreadExportTests {
  @Test func jsonEqualsTheServicesAnswer() async throws {
    try await World.signedIn { world, caller in
      let thread = try await world.beginThread("Grüße `\u{1B}")
      let json: String = try await caller.call("Threads.Get", thread).member(0, "json")
      #expect(try await world.chappie("threads", "export", thread).text == json + "\n")
      #expect(try await world.chappie("threads", "export", "--format", "json", "last").text == json + "\n")
    }
  }

  @Test func markdownKeepsEveryText() async throws {
    try await World.signedIn { world, caller in
      let thread = try await world.beginThread("# A *head*\n\n```\nnever closed")
      let handler = try ToolHandler(caller) { _ in "a\n````\nb" }
      try await caller.register([Tools.weather], ToolHandler.path)
      try await caller.call("Threads.Send", thread, #"use weather {"city":"```"}"#, VariantDictionary())
      #expect(handler.calls.count == 1)
      try await world.sandbox.play(#"[{"endpoint":"responses","text":"Look:\n\n```sh\nls"}]"#)
      _ = try await world.chappie("ask", "--thread", thread, "Again")
      let text = try await world.chappie("threads", "export", "--format", "markdown", thread).text
      #expect(
        text.hasPrefix("# \\# A \\*head\\* \\`\\`\\` never closed\n\nThread `\(thread)`: 3 turns, begun "), "\(text)")
      #expect(text.contains("\n> # A *head*\n>\n> ```\n> never closed\n"), "\(text)")
      #expect(text.contains("\n### Tool `weather`\n\n````json\n{\"city\":\"```\"}\n````\n"), "\(text)")
      #expect(text.contains("\n### `weather` completed\n\n`````\na\n````\nb\n`````\n"), "\(text)")
      #expect(text.hasSuffix("\n\nLook:\n\n```sh\nls\n```\n"), "\(text)")
    }
  }

  @Test func aFileIsPrivateAndNeverOverwritten() async throws {
    try await World.signedIn { world, _ in
      let thread = try await world.beginThread("one")
      let file = world.directories.home.appending(path: "thread.json")
      #expect(try await world.chappie("threads", "export", thread, "--output", "thread.json").text == "")
      #expect(try mode(file) == 0o600)
      let first = try Data(contentsOf: file)
      _ = try await world.chappie("ask", "--thread", thread, "two")
      let again = try await world.chappie("threads", "export", thread, "-o", "thread.json")
      #expect(again.status == 1)
      #expect(again.text == "chappie: thread.json exists already: give --force to replace it.\n")
      #expect(try Data(contentsOf: file) == first)
      #expect(try await world.chappie("threads", "export", thread, "-o", "thread.json", "--force").status == 0)
      #expect(try Data(contentsOf: file) != first)
      #expect(try mode(file) == 0o600)
      let nowhere = try await world.chappie("threads", "export", thread, "-o", "nowhere/thread.json")
      #expect(nowhere.status == 1)
      #expect(nowhere.text.hasPrefix("chappie: nowhere/thread.json cannot be written: "))
      #expect(try names(world.directories.home).filter { $0.hasPrefix("thread") } == ["thread.json"])
    }
  }

  @Test func allAreWrittenToADirectory() async throws {
    try await World.signedIn { world, _ in
      let active = try await world.beginThread("one")
      let archived = try await world.beginThread("two")
      _ = try await world.chappie("threads", "archive", archived)
      let folder = world.directories.home.appending(path: "all")
      let output = try await world.chappie("threads", "export", "--all", "--format", "markdown", "-o", "all")
      #expect(output.text == "Wrote 2 threads to all.\n")
      #expect(try names(folder) == [active, archived].map { "\($0).md" }.sorted())
      #expect(try mode(folder) == 0o700)
      for name in try names(folder) { #expect(try mode(folder.appending(path: name)) == 0o600) }
      #expect(try await world.chappie("threads", "export", "--all", "--output", "all").text == output.text)
      // An existing file prevents the whole export.
      let file = folder.appending(path: "\(archived).json")
      try Data("mine".utf8).write(to: file)
      try FileManager.default.removeItem(at: folder.appending(path: "\(active).json"))
      let refused = try await world.chappie("threads", "export", "--all", "-o", "all")
      #expect(refused.status == 1)
      #expect(refused.text.contains("exists already"))
      #expect(try names(folder).filter { $0.hasSuffix(".json") } == ["\(archived).json"])
      #expect(try Data(contentsOf: file) == Data("mine".utf8))
      #expect(try await world.chappie("threads", "export", "--all", "-o", "all", "--force").status == 0)
      #expect(try Data(contentsOf: file) != Data("mine".utf8))
    }
  }

  @Test func aTerminalShowsProgress() async throws {
    try await World.signedIn { world, caller in
      for number in 1...30 {
        try await caller.call("Threads.Create", ["title": "Number \(number)"] as VariantDictionary)
      }
      let output = try await world.chappie(
        "threads", "export", "--all", "-o", "all", at: [.sees(" of 30: Number "), .sees("Wrote 30 threads to all.")])
      #expect(output.status == 0, "\(output.text)")
    }
  }

  private func mode(_ file: URL) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
  }

  private func names(_ folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }
}
