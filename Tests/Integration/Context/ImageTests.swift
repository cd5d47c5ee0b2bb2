// SPDX-License-Identifier: Apache-2.0
import Platform

/// Messages with images.
@Suite(.worlds) @GLibActor
struct ImageTests {
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]
  private static let webAddress = "https://example.org/cat.png"

  private func file(_ name: String, _ bytes: [UInt8] = png, in world: World) throws -> String {
    let url = world.directories.home.appending(path: name)
    try Data(bytes).write(to: url)
    return url.path
  }

  @Test func everyImageTypeIsSent() async throws {
    let (world, caller) = try await World.signedIn(.http)
    let data = "data:image/png;base64,\(Data(Self.png).base64EncodedString())"
    let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1]
    let images = [
      try file("cat.png", in: world), Self.webAddress, data,
      // The content decides the type, not the file's name.
      try file("really a jpeg.png", jpeg, in: world),
    ]
    #expect(try await caller.send("Look", ["images": images]).contains("It came with 4 images."))
    #expect(
      try await world.sandbox.state().lastImages == [
        data, Self.webAddress, data, "data:image/jpeg;base64,\(Data(jpeg).base64EncodedString())",
      ])
    let messages = [Message("user", "one"), Message("assistant", "two"), Message("user", "three")]
    let options: VariantDictionary = ["images": [Self.webAddress]]
    let answer: String = try await caller.call("Client.Respond", messages, options).member(0, "answer")
    #expect(answer.contains("It came with 1 image."))

    let many = Array(repeating: Self.webAddress, count: 17)
    try await expectRefusal("LimitExceeded") { try await caller.send("Look", ["images": many]) }
    #expect(try await caller.send("Look", ["images": Array(many.dropLast())]).contains("16 images"))
    // The backend refuses an image for a model without image input.
    try await world.sandbox.offer(#"[{"slug":"reader","input_modalities":["text"]}]"#)
    let reader: VariantDictionary = ["images": [Self.webAddress], "model": "reader"]
    try await expectRefusal("HTTPError") { try await caller.send("Look", reader) }
  }

  nonisolated static let wrong = [
    ("HOME/none.png", "none.png"), ("HOME", "cannot be used"), ("HOME/pipe", "cannot be used"),
    ("HOME/text.png", "no PNG, JPEG, GIF or WebP"), ("HOME/empty.png", "no PNG, JPEG, GIF or WebP"),
    ("HOME/huge.png", "cannot be used"), ("/dev/zero", "cannot be used"), ("cat.png", "no image"),
    ("http://example.org/cat.png", "no image"), ("file:///cat.png", "no image"), ("data:text/html,<b>", "no image"),
    ("", "no image"),
  ]

  @Test func aFileThatIsNoImageIsRefused() async throws {
    let (world, caller) = try await World.signedIn()
    let home = world.directories.home.path
    _ = try file("text.png", Array("hello".utf8), in: world)
    _ = try file("empty.png", [], in: world)
    _ = try file("huge.png", Self.png, in: world)
    #expect(truncate(home + "/huge.png", off_t(8 << 20 + 1)) == 0)
    #expect(mkfifo(home + "/pipe", 0o600) == 0)
    for (name, message) in Self.wrong {
      let images: VariantDictionary = ["images": [name.replacing("HOME", with: home)]]
      try await expectRefusal("InvalidArgument", "\(name)", saying: message) { try await caller.send("Look", images) }
      try await expectRefusal("InvalidArgument") { try await caller.stream("Look", images) }
    }
    let wrongType: VariantDictionary = ["images": "one.png"]
    #expect(try await refusal { try await caller.send("Look", wrongType) }.message.contains("'images'"))
    #expect(try await world.sandbox.state().requests["responses"] == 0)
    #expect(try await caller.property("Client.ActiveTurns", as: [String].self).isEmpty)
  }

  /// The service sees files that a sandboxed app cannot see.
  @Test(.sandboxes)
  func aSandboxedAppMayNotNameFiles() async throws {
    let world = try await World.begin()
    let (app, client) = try await world.signedInApp()
    try await expectRefusal("AccessDenied", saying: "data:") {
      try await app.send("Look", ["images": [try file("cat.png", in: world)]], at: client)
    }
    #expect(try await app.send("Look", ["images": [Self.webAddress]], at: client).contains("1 image."))

    let path = try file("notes.txt", Array("Buses".utf8), in: world)
    try await expectRefusal("AccessDenied") { try await app.send("Look", ["files": [path]], at: client) }
    let address = "data:;name=notes.txt;base64,\(Data("Buses".utf8).base64EncodedString())"
    #expect(try await app.send("Look", ["files": [address]], at: client).contains("notes.txt."))
    let passed = try #require(Descriptor(owning: open(path, O_RDONLY | O_CLOEXEC)))
    #expect(try await app.send("Look", passing: [passed], at: client).contains("notes.txt."))
  }
}
