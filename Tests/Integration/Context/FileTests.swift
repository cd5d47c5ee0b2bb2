// SPDX-License-Identifier: Apache-2.0

/// Messages with documents.
@Suite(.worlds) @GLibActor
struct FileTests {
  private static let pdf = "%PDF-1.7\n"

  private func file(_ name: String, _ content: String = pdf, in world: World) throws -> String {
    let url = world.directories.home.appending(path: name)
    try Data(content.utf8).write(to: url)
    return url.path
  }

  private static func address(_ content: String, _ name: String) -> String {
    "data:;name=\(name);base64,\(Data(content.utf8).base64EncodedString())"
  }

  @Test func pathsAndAddressesAreSent() async throws {
    let (world, caller) = try await World.signedIn()
    let client = try await caller.open("Client")
    let files = [try file("my report.pdf", in: world), Self.address("a;b", "table%20one.csv")]
    let answer = try await caller.send("Look", ["files": files], at: client)
    #expect(answer.contains("It came with my report.pdf and table one.csv."))
    let messages = [Message("user", "one"), Message("assistant", "two"), Message("user", "three")]
    let options: VariantDictionary = ["files": [files[1]]]
    let last: String = try await caller.call("Client.Respond", messages, options).member(0, "answer")
    #expect(last.contains("It came with table one.csv."))
    // Files belong to a message of the user.
    try await expectRefusal("InvalidArgument") {
      try await caller.call("Client.Respond", Array(messages.prefix(2)), options)
    }
    // The details tell the form.
    func form() async throws -> String? {
      try await caller.stream("Look", options).end().answer.details.value("files_as")
    }
    #expect(try await form() == "inline")
    try await world.sandbox.play(#"[{"endpoint":"responses","refuses_files":true,"times":9}]"#)
    #expect(try await form() == "text")
  }

  @Test func aThreadKeepsItsFiles() async throws {
    let (world, _) = try await World.signedIn(World.Plan(transport: .http))
    _ = try file("report.pdf", in: world)
    let output = try await world.shell(
      #"""
      "$0" ask --thread new -f ~/report.pdf Look; "$0" ask --thread last 'And now?'; "$0" threads show last
      "$0" threads export --format markdown last
      """#)
    #expect(output.text.contains("It came with report.pdf."))
    #expect(output.text.contains("“And now?” This conversation has 3 messages."))
    #expect(try await world.sandbox.state().lastFiles == ["report.pdf"])
    #expect(output.text.contains("with the file report.pdf"))
    #expect(output.text.contains("*File report.pdf*"))
  }

  /// A turn that would make its thread too large to be read does not begin.
  @Test func aThreadWithLargeFilesStaysReadable() async throws {
    let (world, _) = try await World.signedIn(World.Plan(transport: .http))
    let output = try await world.shell(
      #"""
      (printf '%%PDF-1.7\n'; head -c 7000000 /dev/zero) >a.pdf; "$0" ask --thread new -f a.pdf one
      "$0" ask --thread last -f a.pdf two; "$0" ask --thread last three; "$0" threads show last | grep -c a.pdf
      """#)
    #expect(
      output.text == """
        You said: “one” It came with a.pdf. This conversation has 1 message.
        chappie: The thread would have more than 16 MiB with this: send less, or begin another one.
        You said: “three” This conversation has 3 messages.
        2

        """)
  }

  nonisolated static let wrong = [
    ("HOME/none.pdf", "none.pdf' cannot be used"), ("HOME", "cannot be used"), ("HOME/pipe", "cannot be used"),
    ("HOME/empty.pdf", "is empty"), ("HOME/a.zip", "is no document"), ("/dev/zero", "cannot be used"),
    ("report.pdf", "is no file"), ("", "is no file"), ("https://example.org/a.pdf", "is no file"),
  ]

  @Test func anotherFileIsRefused() async throws {
    let (world, caller) = try await World.signedIn()
    let home = world.directories.home.path
    _ = try file("empty.pdf", "", in: world)
    _ = try file("a.zip", "PK\u{3}\u{4}", in: world)
    #expect(mkfifo(home + "/pipe", 0o600) == 0)
    for (name, message) in Self.wrong {
      let files: VariantDictionary = ["files": [name.replacing("HOME", with: home)]]
      try await expectRefusal("InvalidArgument", "\(name)", saying: message) { try await caller.send("Look", files) }
    }
    let many: VariantDictionary = ["files": Array(repeating: Self.address("a", "a.txt"), count: 17)]
    try await expectRefusal("LimitExceeded") { try await caller.send("Look", many) }
    let large = try file("large.pdf", in: world)
    #expect(truncate(large, off_t(20 << 20)) == 0)
    try await expectRefusal("LimitExceeded", saying: "27 MiB", "12 MiB") {
      try await caller.send("Look", ["files": [large]])
    }
    #expect(try await world.sandbox.state().requests["responses"] == 0)
  }
}
