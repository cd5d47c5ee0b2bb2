// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

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

  @Test(arguments: World.Plan.Transport.allCases)
  func everyImageTypeIsSent(_ transport: World.Plan.Transport) async throws {
    try await World.signedIn(World.Plan(transport: transport)) { world, caller in
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
    }
  }

  /// Over HTTP each request has the whole conversation.
  @Test func anImageStaysInTheConversation() async throws {
    try await World.signedIn(World.Plan(transport: .http)) { world, caller in
      let client = try await caller.open("Client")
      _ = try await caller.send("Look", ["images": [Self.webAddress]], at: client)
      _ = try await caller.send("And now?", at: client)
      #expect(try await world.sandbox.state().lastImages == [Self.webAddress])
    }
  }

  struct Case: CustomTestStringConvertible {
    let testDescription: String
    let name: String
    let message: String
  }

  nonisolated static let wrong = [
    Case(testDescription: "missing", name: "HOME/none.png", message: "none.png"),
    Case(testDescription: "directory", name: "HOME", message: "cannot be used"),
    Case(testDescription: "named pipe", name: "HOME/pipe", message: "cannot be used"),
    Case(testDescription: "text", name: "HOME/text.png", message: "no PNG, JPEG, GIF or WebP"),
    Case(testDescription: "empty", name: "HOME/empty.png", message: "no PNG, JPEG, GIF or WebP"),
    Case(testDescription: "too long", name: "HOME/huge.png", message: "cannot be used"),
    Case(testDescription: "device", name: "/dev/zero", message: "cannot be used"),
    Case(testDescription: "relative", name: "cat.png", message: "no image"),
    Case(testDescription: "plain HTTP", name: "http://example.org/cat.png", message: "no image"),
    Case(testDescription: "file address", name: "file:///cat.png", message: "no image"),
    Case(testDescription: "other data", name: "data:text/html,<b>", message: "no image"),
    Case(testDescription: "nothing", name: "", message: "no image"),
  ]

  @Test func aFileThatIsNoImageIsRefused() async throws {
    try await World.signedIn { world, caller in
      let home = world.directories.home.path
      _ = try file("text.png", Array("hello".utf8), in: world)
      _ = try file("empty.png", [], in: world)
      _ = try file("huge.png", Self.png, in: world)
      #expect(truncate(home + "/huge.png", off_t(8 << 20 + 1)) == 0)
      #expect(mkfifo(home + "/pipe", 0o600) == 0)
      for test in Self.wrong {
        let images: VariantDictionary = ["images": [test.name.replacing("HOME", with: home)]]
        let refused = try await refusal { try await caller.send("Look", images) }
        #expect(refused.name == "InvalidArgument", "\(test.testDescription)")
        #expect(refused.message.contains(test.message), "\(test.testDescription): \(refused.message)")
        try await expectRefusal("InvalidArgument") { try await caller.stream("Look", images) }
      }
      let wrongType: VariantDictionary = ["images": "one.png"]
      #expect(try await refusal { try await caller.send("Look", wrongType) }.message.contains("'images'"))
      #expect(try await world.sandbox.state().requests["responses"] == 0)
      #expect(try await caller.property("Client.ActiveTurns", as: [String].self).isEmpty)
    }
  }

  @Test func atMostSixteenImagesAreAllowed() async throws {
    try await World.signedIn { _, caller in
      let images = Array(repeating: Self.webAddress, count: 17)
      try await expectRefusal("LimitExceeded") { try await caller.send("Look", ["images": images]) }
      #expect(try await caller.send("Look", ["images": Array(images.dropLast())]).contains("16 images"))
    }
  }

  @Test func aModelWithoutImageInputIsReported() async throws {
    try await World.signedIn { world, caller in
      try await world.sandbox.offer(#"[{"slug":"reader","input_modalities":["text"]}]"#)
      let options: VariantDictionary = ["images": [Self.webAddress], "model": "reader"]
      try await expectRefusal("HTTPError") { try await caller.send("Look", options) }
    }
  }

  /// The service sees files that a sandboxed app cannot see.
  @Test(.sandboxes)
  func aSandboxedAppMayNotNameFiles() async throws {
    try await World.with { world in
      let (app, client) = try await world.signedInApp()
      let refused = try await refusal {
        try await app.send("Look", ["images": [try file("cat.png", in: world)]], at: client)
      }
      #expect(refused.name == "AccessDenied")
      #expect(refused.message.contains("data:"))
      #expect(try await app.send("Look", ["images": [Self.webAddress]], at: client).contains("1 image."))
    }
  }
}
