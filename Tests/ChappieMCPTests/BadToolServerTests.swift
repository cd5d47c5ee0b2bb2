// SPDX-License-Identifier: Apache-2.0
import Glibc

@testable import ChappieMCP

/// What none should do: each ends its own call or server, with one sentence.
@GLibActor
struct BadToolServerTests {
  @Test(
    arguments: [
      ("million", "it wrote a message of"), ("endless", "its list of tools has no end"),
      ("thousands", "it has more than 1000 tools"), ("large", "its list of tools has more than 8 MiB"),
      ("deep", "too deeply nested values"), ("nested", "the schema of the tool 'deep' is nested too deep"),
      ("foreign", "the schema of the tool 'far' is not complete in itself"),
      ("hidden", "a name with invisible characters"), ("twins", "two of its tools have the same name"),
      ("nameless", "a tool has no usable name"),
    ])
  func aListThatCannotBeUsed(_ list: String, _ reason: String) async throws {
    try await Server.with("legacy", list) { server async throws in
      let sentence = await failure { () async throws in _ = try await server.listing() }
      #expect(sentence.contains(reason), "\(sentence)")
    }
  }

  @Test func aServerThatNeverAnswers() async throws {
    try await Server.with("legacy", callTimeout: .seconds(1)) { server async throws in
      #expect(await server.failure("silence") == "The tool server did not answer tools/call within 1 seconds.")
      // On a busy machine a good call may take more than the second.
      try await eventually { (try? await server.text("echo", ["text": "still here"])) == "still here" }
    }
  }

  @Test(
    arguments: [
      ("dies", "The tool server has ended: it has closed its output, and said “out of[2J luck”."),
      ("breaks", "The tool server has ended: it ended within a message."),
      ("noise", "The tool server has ended: its output holds other text than messages."),
      ("line", "The tool server has ended: it wrote a message of more than 16 MiB."),
      ("begs", "The tool server has ended: it does not read its input."),
    ])
  func aServerThatEnds(_ tool: String, _ sentence: String) async throws {
    for isBoxed in [false, await Server.canBox()] {
      try await Server.with("legacy", isBoxed: isBoxed) { server async throws in
        var ends = 0
        server.onEnd { ends += 1 }
        #expect(await server.failure(tool) == sentence)
        #expect(await server.failure("echo").hasPrefix("The tool server has ended"))
        #expect(ends == 1)
      }
    }
  }

  @Test func aServerThatDoesNotReadItsInput() async throws {
    try await Server.with("legacy") { server async throws in
      let large = ChappieJSONValue.string(String(repeating: "x", count: 17 << 20))
      let call = Task.onGLib { try await server.text("deaf") }
      let sentences = [
        await failure { () async throws in
          let echo = Task.onGLib { try await server.text("echo", ["text": large]) }
          try await withDeadline(.seconds(2)) { _ = try await echo.value }
        },
        await server.failure("echo"),
        await failure { _ = try await call.value },
      ]
      #expect(Set(sentences.dropFirst()) == ["The tool server has ended: it does not read its input."])
    }
  }

  @Test func whatIsNoAnswerIsIgnored() async throws {
    try await Server.with("legacy", "chatter") { server async throws in
      #expect(try await server.text("notes") == "done")
      #expect(try await server.text("ids") == "right")
      for _ in 0..<200 { #expect(try await server.text("twice") == "first") }
      #expect(try await server.text("echo", ["text": "third"]) == "third")
    }
  }

  @Test func textIsCleaned() async throws {
    try await Server.with("legacy") { server async throws in
      #expect(try await server.text("marks") == "a[31mbcdef\u{200D}g\nh")
      #expect(try await server.text("octets") == "a\u{FFFD}\u{FFFD}b")
      #expect(try await server.text("surrogate") == "a\u{FFFD}b")
      #expect(await server.failure("refuses") == "The tool server refused: not[31m like this (-32602).")
    }
  }

  @Test func aFloodIsServed() async throws {
    try await Server.with("legacy") { server async throws in
      _ = try await server.listing()
      var (changes, steps) = (0, 0)
      server.onChange = { changes += 1 }
      let output = try await server.call("flood", [:]) { _, _ in steps += 1 }
      #expect(output.text == "done")
      #expect(changes == 1)
      #expect(steps < 20_000)
    }
  }

  @Test func errorsAreReadAndFewAreKept() async throws {
    try await Server.with("legacy") { server async throws in
      var lines: Set<String> = []
      server.onErrorLine = { lines.insert($0) }
      #expect(try await server.text("errors") == "done")
      try await eventually { lines.contains("[a line that is too long]") }
      #expect(lines.contains("something went wrong"))
    }
  }

  @Test(arguments: [false, true]) func aChildEndsWithItsServer(_ isBoxed: Bool) async throws {
    if isBoxed, await !Server.canBox() { return }
    let marker = Server.marker()
    try await Server.with("legacy", isBoxed: isBoxed) { server async throws in
      _ = try await server.text("child", ["text": .string(marker)])
      if isBoxed { _ = try await server.text("daemon", ["text": .string(marker)]) }
      try await eventually { Server.runs(marker) }
    }
    try await eventually { !Server.runs(marker) }
  }

  @Test func aServerIsGoneThoughItsDaemonKeepsItsPipes() async throws {
    let marker = Server.marker()
    try await Server.with("legacy") { server async throws in
      #expect(
        await server.failure("daemon", ["text": .string(marker), "end": true])
          == "The tool server has ended: it has closed its output.")
    }
    _ = try await FileFilter.run(
      ["pkill", "-f", marker], input: try .sealed([]), outputLimit: 10, deadline: .seconds(60))
    // It inherits no blocked signals.
    try await eventually { !Server.runs(marker) }
  }

  @Test(arguments: [false, true]) func aServerThatIsReleasedEnds(_ isBoxed: Bool) async throws {
    if isBoxed, await !Server.canBox() { return }
    let marker = Server.marker()
    var server: ChappieMCPServer? = try await Server.start("legacy", isBoxed: isBoxed)
    _ = try await server?.text("child", ["text": .string(marker)])
    server = nil
    try await eventually { !Server.runs(marker) }
  }

  /// In a process without the descriptors and children of other tests.
  @Test func nothingIsLeftOfManyServers() async {
    await #expect(processExitsWith: .success) {
      func beginAndEnd(_ command: String) async throws {
        let process = try await PeerProcess(["/bin/sh", "-c", command])
        await process.end()
        try await eventually { await process.hasEnded }
      }
      try await beginAndEnd("cat")
      let before = try Files.names(in: "/proc/self/fd").count
      for number in 0..<200 { try await beginAndEnd(number.isMultiple(of: 2) ? "cat" : "exit 1") }
      try await eventually { try Files.names(in: "/proc/self/fd").count <= before }
      // The look itself reaps nothing.
      try await eventually {
        var info = siginfo_t()
        return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == -1 && errno == ECHILD
      }
    }
  }
}
