// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// Large images and many images.
@Suite(.worlds) @GLibActor
struct LargeImageTests {
  private static let head: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  @Test func imagesOfAMessageOfManyCallsAndOfAConversationAreBounded() async throws {
    try await World.signedIn { world, caller in
      let bystander = try await MemoryWitness(world)
      let most = try image("most.png", 8 << 20, in: world)
      let half = try image("half.png", 4 << 20, in: world)
      let huge = try image("huge.png", 20 << 20, in: world)
      #expect(try await caller.send("look", ["images": [most]]).contains("1 image"))
      #expect(try await caller.send("look", ["images": [half, half]]).contains("2 images"))
      try await expectRefusal("LimitExceeded") { try await caller.send("look", ["images": [half, half, half]]) }
      let many = Array(repeating: huge, count: 16)
      try await expectRefusal("InvalidArgument") { try await caller.send("look", ["images": many]) }

      // Each of many calls at once names a file of the greatest allowed size.
      let turns = (0..<16).map { _ in
        Task { @GLibActor in try await caller.stream("look", ["images": [most]]) }
      }
      var started: [Turn] = []
      for turn in turns {
        do {
          started.append(try await turn.value)
        } catch let error as GLibError {
          #expect(ErrorReply(error).name == "LimitExceeded")
        }
      }
      #expect((1..<16).contains(started.count))
      try await bystander.isServed()
      for turn in started {
        if case .failed(let error, _, _) = try await turn.end() { #expect(error.hasSuffix(".LimitExceeded")) }
      }

      // Images stay in a conversation, and count toward its limit.
      let client = try await caller.open("Client")
      let text = Data(Self.head + [UInt8](repeating: 7, count: 2 << 20)).base64EncodedString()
      let options: VariantDictionary = ["images": ["data:image/png;base64," + text]]
      var count = 0
      let refused = try await refusal {
        while count < 16 {
          _ = try await caller.send("look", options, at: client)
          count += 1
        }
      }
      #expect(refused.name == "LimitExceeded")
      #expect((4...6).contains(count))
      try await caller.call("Client.ClearContext", at: client)
      #expect(try await caller.send("look", options, at: client).contains("1 image"))
      try await caller.call("Manager.Close", client)
      try await bystander.expectHealthyService()
    }
  }

  /// The path of a file that begins as an image does.
  private func image(_ name: String, _ size: Int, in world: World) throws -> String {
    let file = world.directories.root.appending(path: name)
    try Data(Self.head + [UInt8](repeating: 7, count: size - Self.head.count)).write(to: file)
    return file.path
  }
}
