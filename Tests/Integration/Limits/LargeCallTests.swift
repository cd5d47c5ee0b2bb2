// SPDX-License-Identifier: Apache-2.0

/// Calls that are large or have very many parts.
@Suite(.worlds) @GLibActor
struct LargeCallTests {
  /// An array of the bus can hold so many empty messages that they make a context that no message could return.
  @Test func manyEmptyMessagesAndLongTextsAreRefused() async throws {
    let (world, caller) = try await World.signedIn()
    let bystander = try await MemoryWitness(world)
    func resume(_ count: Int) async throws {
      let messages: Variant = .array(of: "(ss)", Array(repeating: .tuple("user", ""), count: count))
      let context: VariantDictionary = ["messages": messages]
      // A debug build takes long for so many.
      try await caller.call("Client.ResumeContext", context, timeout: patience * 10)
    }
    // As many as the limit allows, and one more.
    try await resume(16_384)
    #expect(try await caller.context().number("message_count") == 16_384)
    try await expectRefusal("LimitExceeded") { try await resume(16_385) }
    try await caller.call("Client.ClearContext")

    // Long texts are refused in every argument.
    let text = String(repeating: "x", count: 16 << 20)
    try await expectRefusal("LimitExceeded") { try await caller.send(text) }
    try await expectRefusal("LimitExceeded") { try await caller.call("Client.CompactContext", text) }
    let harness: VariantDictionary = ["instructions": text]
    try await expectRefusal("LimitExceeded") { try await caller.call("Client.SetHarness", harness) }
    let tool: VariantDictionary = ["name": "t", "input_schema": #"{"type":"object","description":"\#(text)"}"#]
    try await expectRefusal("LimitExceeded") {
      try await caller.call("Client.RegisterTools", [tool], ObjectPath.root)
    }
    try await expectRefusal("LimitExceeded") { try await caller.send("hi", ["instructions": text]) }
    try await expectRefusal("LimitExceeded") { try await caller.send("hi", ["tools": [tool]]) }

    // The tools of all clients of a program are bounded together.
    let schema = #"{"type":"object","description":"\#(text.prefix(225_000))"}"#
    let tools = (1...4).map { ["name": "t\($0)", "input_schema": schema] as VariantDictionary }
    var clients: [ObjectPath] = []
    try await expectRefusal("LimitExceeded") {
      while clients.count < 12 {
        clients.append(try await caller.open("Client"))
        try await caller.call("Client.RegisterTools", tools, ObjectPath.root, at: clients[clients.count - 1])
      }
    }
    #expect(clients.count > 1)
    for client in clients { try await caller.call("Manager.Close", client) }
    try await bystander.expectHealthyService()
  }

  /// Many long prompts at once, from several connections of one program.
  @Test func manyLongPromptsAtOnceAreBounded() async throws {
    let (world, _) = try await World.signedIn()
    let bystander = try await MemoryWitness(world)
    try await world.sandbox.play(#"[{"endpoint":"responses","hang":true,"times":"always"}]"#)
    var callers: [Caller] = []
    var refused = 0
    let text = String(repeating: "x", count: 4 << 20)
    for number in 0..<24 {
      if number % 8 == 0 { callers.append(try await world.caller()) }
      do {
        _ = try await callers[number / 8].stream(text)
      } catch let error as GLibError {
        #expect(ErrorReply(error).name == "LimitExceeded")
        refused += 1
      }
    }
    // A turn without memory for its request has ended.
    try await eventually("the rest to be refused") {
      refused + callers.flatMap { $0.signals("Failed") }.count >= 20
    }
    for signal in callers.flatMap({ $0.signals("Failed") }) {
      #expect(try signal.arguments.member(1, "error", as: String.self).hasSuffix(".LimitExceeded"))
    }
    try await world.sandbox.play("[]")
    try await bystander.isServed()
    for caller in callers {
      for turn in try await caller.property("Client.ActiveTurns", as: [String].self) {
        _ = try? await caller.call("Client.Cancel", turn)
      }
    }
    try await eventually("the turns to end") {
      try await callers[0].property("Client.ActiveTurns", as: [String].self).isEmpty
    }
    try await bystander.expectHealthyService()
    #expect(try await callers[0].send("again").contains("again"))
  }

  /// Messages that would cost the service many times their length are refused before they are parsed.
  @Test func aMessageOfManyValuesIsRefused() async throws {
    let world = try await World.begin()
    let caller = try await world.caller()
    let strings = Array(repeating: "", count: 150_000)
    // The limit holds for every method: one that does not exist has no other limit.
    try await expectRefusal("LimitExceeded", saying: "100000 values") {
      try await caller.call("Client.NoSuchMethod", strings)
    }
    let text = String(repeating: "x", count: 21 << 20)
    try await expectRefusal("LimitExceeded", saying: "\(20 << 20) are allowed") {
      try await caller.call("Client.NoSuchMethod", text)
    }
    #expect(try await caller.state() == "signed-out")
  }

  // MARK: Large images and many images

  private static let head: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  @Test func imagesOfAMessageOfManyCallsAndOfAConversationAreBounded() async throws {
    let (world, caller) = try await World.signedIn()
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
    // The memory of the turns before is free a little after their ends.
    try await eventually("the bound of a conversation") {
      var count = 0
      try await expectRefusal("LimitExceeded") {
        while count < 16 {
          _ = try await caller.send("look", options, at: client)
          count += 1
        }
      }
      try await caller.call("Client.ClearContext", at: client)
      return (4...6).contains(count)
    }
    #expect(try await caller.send("look", options, at: client).contains("1 image"))
    try await caller.call("Manager.Close", client)
    try await bystander.expectHealthyService()
  }

  /// The path of a file that begins as an image does.
  private func image(_ name: String, _ size: Int, in world: World) throws -> String {
    let file = world.directories.root.appending(path: name)
    try Data(Self.head + [UInt8](repeating: 7, count: size - Self.head.count)).write(to: file)
    return file.path
  }
}
