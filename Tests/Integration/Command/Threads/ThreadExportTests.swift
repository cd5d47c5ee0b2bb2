// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// `chappie threads export`.
@Suite(.worlds) @GLibActor
struct ThreadExportTests {
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

  @Test func filesArePrivateAndNeverOverwritten() async throws {
    try await World.signedIn { world, _ in
      let thread = try await world.beginThread("one")
      let file = world.directories.home.appending(path: "thread.json")
      #expect(try await world.chappie("threads", "export", thread, "--output", "thread.json").text == "")
      #expect(try mode(file) == 0o600)
      let first = try Data(contentsOf: file)
      _ = try await world.chappie("ask", "--thread", thread, "two")
      try await world.chappie("threads", "export", thread, "-o", "thread.json")
        .expect(1, only: "chappie: thread.json exists already: give --force to replace it.\n")
      #expect(try Data(contentsOf: file) == first)
      #expect(try await world.chappie("threads", "export", thread, "-o", "thread.json", "--force").status == 0)
      #expect(try Data(contentsOf: file) != first)
      #expect(try mode(file) == 0o600)
      #expect(try names(world.directories.home).filter { $0.hasPrefix("thread") } == ["thread.json"])

      // All are written to a directory.
      let archived = try await world.beginThread("two")
      _ = try await world.chappie("threads", "archive", archived)
      let folder = world.directories.home.appending(path: "all")
      let output = try await world.chappie("threads", "export", "--all", "--format", "markdown", "-o", "all")
      #expect(output.text == "Wrote 2 threads to all.\n")
      #expect(try names(folder) == [thread, archived].map { "\($0).md" }.sorted())
      #expect(try mode(folder) == 0o700)
      for name in try names(folder) { #expect(try mode(folder.appending(path: name)) == 0o600) }
      #expect(try await world.chappie("threads", "export", "--all", "--output", "all").text == output.text)
      // An existing file prevents the whole export.
      let mine = folder.appending(path: "\(archived).json")
      try Data("mine".utf8).write(to: mine)
      try FileManager.default.removeItem(at: folder.appending(path: "\(thread).json"))
      try await world.chappie("threads", "export", "--all", "-o", "all").expect(1, "exists already")
      #expect(try names(folder).filter { $0.hasSuffix(".json") } == ["\(archived).json"])
      #expect(try Data(contentsOf: mine) == Data("mine".utf8))
      #expect(try await world.chappie("threads", "export", "--all", "-o", "all", "--force").status == 0)
      #expect(try Data(contentsOf: mine) != Data("mine".utf8))
    }
  }

  private func mode(_ file: URL) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
  }

  private func names(_ folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }
}
