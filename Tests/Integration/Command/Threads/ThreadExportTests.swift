// SPDX-License-Identifier: Apache-2.0
import SQLite

/// `chappie threads show` and `chappie threads export`.
@Suite(.worlds) @GLibActor
struct ThreadExportTests {
  @Test func markdownKeepsEveryTextAndToolCallsFailuresAndDamageAreShown() async throws {
    let (world, caller) = try await World.signedIn()
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

    // Tool calls, failures and damage are shown.
    try await world.sandbox.play(#"[{"endpoint":"responses","status":400,"body":{"detail":"Not today."}}]"#)
    #expect(try await world.chappie("ask", "--thread", thread, "two").status == 10)
    let shown = try await world.chappie("threads", "show", thread).text
    #expect(shown.contains("\n  Tool weather {\"city\":\"```\"}\n\n  weather completed: a ```` b\n"), "\(shown)")
    #expect(shown.contains("\n  two\n\nFailed\n  "), "\(shown)")
    #expect(shown.contains("Not today."))

    let file = try #require(try world.directories.files().keys.first { $0.hasSuffix("/threads.db") })
    let database = try Database(world.directories.root.appending(path: file).path, busyTimeout: .seconds(10))
    try database.run("UPDATE turns SET content = zeroblob(100) WHERE sequence = 1")
    try await world.chappie("threads", "show", thread).expect(0, "\nA part cannot be read, turn 1: ", "  two\n")
    let markdown = try await world.chappie("threads", "export", "--format", "markdown", thread)
    #expect(markdown.text.contains("\n\n**A part cannot be read**, turn 1: "), "\(markdown.text)")
  }

  @Test func filesArePrivateAndNeverOverwritten() async throws {
    let (world, _) = try await World.signedIn()
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

  private func mode(_ file: URL) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
  }

  private func names(_ folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  // MARK: Places

  @Test func aNamedPipeAndStandardOutputAreWrittenTo() async throws {
    let (world, _) = try await World.signedIn()
    _ = try await world.beginThread(String(repeating: "river ", count: 20_000))
    for force in ["", "--force"] {
      let output = try await world.shell(
        """
        rm -f pipe; mkfifo pipe
        cat pipe >read &
        "$0" threads export last \(force) --output pipe && wait && test -p pipe && "$0" threads export last | cmp - read
        """)
      #expect(output.status == 0, "\(output.text)")
      #expect(output.text == "")
    }
    // Without `--force`: a failure here must not replace the machine's own link.
    try await world.shell(
      """
      echo before >all
      "$0" threads export last --output /dev/stdout >>all
      "$0" threads export last >alone
      { echo before; cat alone; } | cmp - all
      """
    ).expect(0)
  }

  @Test func aDestinationThatIsNoFileIsRefused() async throws {
    let (world, _) = try await World.signedIn()
    _ = try await world.beginThread("one")
    let home = world.directories.home
    let socket = try #require(world.directories.busAddress.split(separator: "=").last.map(String.init))
    try FileManager.default.createDirectory(at: home.appending(path: "folder"), withIntermediateDirectories: false)
    try Data("mine".utf8).write(to: home.appending(path: "file"))
    for (place, sentence) in [
      ("folder", "folder is a directory: name a file in it."),
      (socket, "\(socket) is a socket or a device: name a file."),
      ("nowhere/file", "nowhere/file cannot be written: its directory does not exist, make it first."),
      ("file/file", "file/file cannot be written: its directory does not exist, make it first."),
    ] {
      for force in [[], ["--force"]] {
        try await world.chappie(["threads", "export", "last", "--output", place] + force)
          .expect(1, only: "chappie: \(sentence)\n")
      }
    }
    for (place, sentence) in [
      ("file", "file is no directory: --all needs a new or an existing one."),
      ("file/in", "The directory file/in cannot be created: a part of the path is not a directory."),
    ] {
      try await world.chappie("threads", "export", "--all", "--output", place, "--force")
        .expect(1, only: "chappie: \(sentence)\n")
    }
    #expect(try Data(contentsOf: home.appending(path: "file")) == Data("mine".utf8))
    // The bus is still there.
    #expect(try await world.listedThreads().count == 1)

    // The target of a link is replaced.
    let file = home.appending(path: "file")
    let files = FileManager.default
    try files.createSymbolicLink(atPath: home.appending(path: "link").path, withDestinationPath: "file")
    try files.createSymbolicLink(atPath: home.appending(path: "broken").path, withDestinationPath: "nothing")
    let refused = try await world.chappie("threads", "export", "last", "--output", "broken")
    #expect(refused.text == "chappie: broken is a broken link: give --force to replace it.\n")
    #expect(try await world.chappie("threads", "export", "last", "--output", "link").status == 1)
    #expect(try Data(contentsOf: file) == Data("mine".utf8))
    for link in ["link", "broken"] {
      try await world.chappie("threads", "export", "last", "--force", "--output", link).expect(only: "")
    }
    #expect(try files.destinationOfSymbolicLink(atPath: home.appending(path: "link").path) == "file")
    let exported = try Data(contentsOf: file)
    #expect(exported != Data("mine".utf8))
    #expect(try Data(contentsOf: home.appending(path: "broken")) == exported)
    let hidden = try files.contentsOfDirectory(atPath: home.path).filter {
      $0.wholeMatch(of: /\.[0-9a-f-]{32,}/) != nil
    }
    #expect(hidden == [])
  }

  @Test func eachMessageShowsItsRole() async throws {
    let (world, _) = try await World.signedIn()
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

  private static func plain(_ line: Substring) -> String {
    ["\u{1B}[0m", "\u{1B}[1m", "\u{1B}[2m"].reduce(String(line)) { $0.replacing($1, with: "") }
  }
}
