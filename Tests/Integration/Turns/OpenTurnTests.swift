// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

/// Turns on sockets of their own.
@Suite(.worlds) @GLibActor
struct OpenTurnTests {
  @Test func theAnswerComesAsLines() async throws {
    let (_, caller) = try await World.signedIn()
    let line = try await caller.ask("What \"is\" this?\nä")
    let end = try await line.end()
    #expect(end.name == "completed")
    #expect(end.text("text")?.contains("What \"is\" this?\nä") == true)
    #expect(end.text("text") == line.text)
    #expect(end.text("model") != nil)
    #expect((end["output_tokens"]?.integerValue ?? 0) > 0)
    #expect(line.events.contains { $0.name == "usage-limits" && $0["primary"]?["used_percent"]?.numberValue != nil })
    let snapshot = try await line.turn.snapshot()
    #expect(snapshot.status == "completed")
    #expect(snapshot.text == line.text)
    // Nothing of the turn passes the bus.
    #expect(caller.signals.filter { (try? $0.turn) == line.turn.id }.isEmpty)
  }

  @Test func aLineIsPartOfAConversation() async throws {
    let (_, caller) = try await World.signedIn()
    let line = try await caller.openTurn()
    line.write([
      "messages": [
        ["role": "user", "text": "My name is Ada."], ["role": "assistant", "text": "Hello."],
        ["role": "user", "text": "What is my name?"],
      ]
    ])
    #expect(try await line.end().text("text")?.contains("3 messages") == true)

    let client = try await caller.open("Client")
    _ = try await caller.ask("one", at: client).end()
    #expect(try await caller.ask("two", at: client).end().text("text")?.contains("3 messages") == true)
    #expect(try await caller.send("three", at: client).contains("5 messages"))

    let thread = try await caller.createThread("Lines")
    let inThread = try await caller.openTurn(in: thread)
    inThread.write(["text": "Keep this."])
    #expect(try await inThread.end().text("text")?.contains("Keep this.") == true)
    #expect(try await caller.thread(thread).turns.count == 1)
    let transcript = try await caller.openTurn(in: thread)
    transcript.write(["messages": [["role": "user", "text": "hi"]]])
    #expect(try await transcript.end().errorName == "InvalidArgument")

    // A program such as `nc` shuts down its end when its input has ended.
    let shut = try await caller.ask("hello")
    shut.endOutput()
    #expect(try await shut.end().name == "completed")
    let silent = try await caller.openTurn()
    silent.endOutput()
    #expect(try await silent.end().errorName == "InvalidArgument")
  }

  /// The bus does not deliver the reply to it, and tells the service so.
  @Test func aCallerWhoseConnectionAcceptsNoDescriptorsReceivesAnError() async throws {
    let (world, _) = try await World.signedIn()
    let script = """
      import sys
      sys.path.append(sys.argv[1])
      from bus.chappie import *
      with Caller(sys.argv[2], accepts_descriptors=False) as caller:
          for _ in range(2):
              try:
                  caller.client(ROOT, "OpenTurn", "a{sv}", [{}])
              except CallFailed as failure:
                  print(failure)
          print(caller.send(ROOT, "hi"))
      """
    let output = try await world.run(
      "/usr/bin/python3", "-c", script, SourceTree.path(of: "Tests/abuse"), world.directories.busAddress)
    let refusal = "org.freedesktop.DBus.Error.NotSupported: The caller's connection accepts no file descriptors."
    #expect(output.text.hasPrefix("\(refusal)\n\(refusal)\nYou said:"), "\(output.text)")
  }

  @Test func noWordPassesTheBus() async throws {
    let (world, caller) = try await World.signedIn()
    let capture = try await BusCapture(world.directories)
    let thread = try await caller.createThread()
    let lines = [
      try await caller.ask("platypus question"), try await caller.openTurn(in: thread),
      try await caller.ask("use platypus", ["tools": [Tools.named("platypus")]]),
    ]
    lines[1].write(["text": "platypus question"])
    let call = try #require(try await lines[2].next("tool-call-requested").text("call"))
    lines[2].write(["tool_result": ["call": .string(call), "output": "the walrus"]])
    for line in lines { #expect(try await line.end().name == "completed") }
    #expect(lines[0].text.contains("platypus question"))
    #expect(lines[2].text.contains("the walrus"))
    try await capture.end()
    for word in ["question", "said", "walrus"] { #expect(try capture.occurrences(of: word) == 0) }
    #expect(try capture.occurrences(of: "OpenTurn") > 0)
  }

  // MARK: Names, ends and callers

  @Test func aClosedSocketCancelsTheTurn() async throws {
    let (world, caller) = try await World.signedIn()
    try await world.sandbox.stall()
    let asked = try await caller.ask("Go on")
    _ = try await asked.next("text-delta")
    let silent = try await caller.openTurn()
    for line in [asked, silent] {
      line.socket.close()
      try await line.turn.wait(for: "cancelled")
    }
    try await eventually("no connection") { try await world.sandbox.state().openStreams == 0 }
  }

  @Test func aTurnHasANameOfItsOwn() async throws {
    let (world, caller) = try await World.signedIn()
    for name in ["", "a b", "ä", "../x", String(repeating: "x", count: 65)] {
      try await expectRefusal("InvalidArgument", "\(name)") { try await caller.openTurn(["turn": name.variant]) }
      try await expectRefusal("InvalidArgument", "\(name)") { try await caller.stream("hi", ["turn": name.variant]) }
    }
    try await expectRefusal("InvalidArgument") { try await caller.openTurn(["broadcast": true]) }

    let other = try await world.caller()
    let client = try await caller.open("Client")
    try await world.sandbox.stall()
    let turn = try await caller.stream("Go on", ["turn": "mine"])
    #expect(turn.id == "mine")
    try await expectRefusal("InvalidArgument") { try await caller.openTurn(["turn": "mine"]) }
    try await expectRefusal("InvalidArgument") { try await caller.openTurn(["turn": "mine"], at: client) }
    let others = try await other.stream("Go on", ["turn": "mine"])
    try await others.cancel()
    #expect(try await others.end().failure.name == "Cancelled")
    #expect(try await turn.snapshot().status == "running")
    // Everyone sees a broadcast turn, so its name must be its own.
    let both: VariantDictionary = ["turn": "mine", "broadcast": true]
    try await expectRefusal("InvalidArgument") { try await other.stream("Go on", both) }
    _ = try await other.stream("Go on", ["turn": "everyones", "broadcast": true])
    try await expectRefusal("InvalidArgument") { try await caller.openTurn(["turn": "everyones"]) }
    // A caller that chooses the names of the service gets other ones from it.
    let first = try await caller.stream("Go on").id
    let start = try #require(first.lastIndex(of: "-"))
    let number = try #require(Int(first[first.index(after: start)...]))
    for next in 1...3 { _ = try await caller.openTurn(["turn": "\(first[...start])\(number + next)".variant]) }
    #expect(try await caller.stream("Go on").id == "\(first[...start])\(number + 4)")
  }

  // MARK: Lines that are no lines

  @Test func aBadLineEndsTheTurn() async throws {
    let lines = [
      "", "garbage", "[]", "5", "{}", "\0\u{1}\u{7f}", #"{"text":5}"#, #"{"text":""}"#, #"{"text":"a","cancel":true}"#,
      #"{"messages":[]}"#, #"{"messages":[{"role":"king","text":"a"}]}"#, #"{"messages":{}}"#, #"{"cancel":false}"#,
      #"{"text":"a","images":5}"#, #"{"text":"a","images":[1]}"#, #"{"tool_result":{"call":"x","output":"y"}}"#,
      #"{"approval":{"call":"x","approved":"yes"}}"#,
    ].map { ($0 + "\n", isWhole: true) }
    let broken = [#"{"text":"a""#, #"{"text":"a"}"#, "\u{ff}"].map { ($0, isWhole: false) }
    try await World.signedIn(each: lines + broken) { _, caller, test in
      let line = try await caller.openTurn()
      line.write(test.0)
      if !test.isWhole { line.endOutput() }
      let end = try await line.end()
      #expect(end.name == "failed")
      #expect(end.errorName == "InvalidArgument")
      #expect(line.events.count == 1)
      #expect(try await caller.ask("still there?").end().name == "completed")
    }
  }

  @Test func aSecondQuestionEndsTheTurn() async throws {
    let (world, caller) = try await World.signedIn()
    try await world.sandbox.stall()
    let line = try await caller.ask("Go on")
    _ = try await line.next("text-delta")
    line.write(["text": "And this?"])
    let end = try await line.end()
    #expect(end.errorName == "InvalidArgument")
    #expect(end.text("partial_text") == Sandbox.stalledText)
  }

  @Test func socketsAreClosedAtAnyMoment() async throws {
    let (world, caller) = try await World.signedIn()
    let witness = try await MemoryWitness(world)
    let question = #"{"text":"hello"}"# + "\n"
    for count in 0...question.utf8.count {
      let line = try await caller.openTurn()
      line.write(String(question.prefix(count)))
      line.socket.close()
    }
    try await eventually("no turn") { try await caller.property("Client.ActiveTurns", as: [String].self).isEmpty }
    // A line without end is refused.
    for _ in 0..<4 {
      let line = try await caller.openTurn()
      line.write(String(repeating: "x", count: 17 << 20))
      #expect(try await line.end().errorName == "LimitExceeded")
    }
    try await witness.expectHealthyService()
  }

  /// Descriptors and replies keep together, whatever else is sent.
  @Test func eachReplyHasItsOwnSocket() async throws {
    let (world, caller) = try await World.signedIn()
    // A call in the other byte order gets its reply in that order.
    let script = #"""
      import struct, sys
      sys.path.insert(0, sys.argv[1])
      from bus.connection import Connection
      fields = b""
      for code, kind, text in (1, b"o", b"/"), (2, b"s", b"org.freedesktop.DBus.Peer"), (3, b"s", b"Ping"), \
              (6, b"s", b"org.chappie"):
          fields += bytes(-len(fields) % 8) + struct.pack(">B3sI", code, b"\1" + kind, len(text)) + text + b"\0"
      with Connection(sys.argv[2]) as connection:
          head = struct.pack(">4BIII", ord("B"), 1, 0, 1, 0, 100, len(fields))
          connection.socket.sendall(head + fields + bytes(-len(fields) % 8))
          answer = b""
          # The bus may name the connection before. A reply has the flag that no answer to it is expected.
          while b"\2\1\1" not in answer:
              answer += connection.socket.recv(4096) or sys.exit("closed")
          sys.exit(b"B\2\1\1" not in answer)
      """#
    let reply = try await world.run(
      "/usr/bin/python3", "-c", script, SourceTree.path(of: "Tests/abuse"), world.directories.busAddress)
    #expect(reply.status == 0, "\(reply.text)")

    let other = try await world.caller()
    try await world.sandbox.play(
      #"[{"endpoint":"responses","times":4,"flood":{"of":"text","size":1000,"count":2000}}]"#)
    var floods: [Turn] = []
    for _ in 0..<4 { floods.append(try await other.stream("go on")) }
    let tasks = (0..<50).map { number in
      Task.onGLib { try await caller.openTurn(["turn": "line-\(number)"]) }
    }
    for (number, task) in tasks.enumerated() {
      let line = try await task.value
      #expect(line.turn.id == "line-\(number)")
      line.write(["cancel": true])
      #expect(try await line.end().errorName == "Cancelled")
      #expect(try await line.turn.snapshot().status == "cancelled")
    }
    for flood in floods { _ = try await flood.end().answer }
  }

  // MARK: Limits

  @Test func openTurnsCountAsRunning() async throws {
    let (_, caller) = try await World.signedIn()
    var lines: [Line] = []
    for _ in 0..<64 { lines.append(try await caller.openTurn()) }
    try await expectRefusal("LimitExceeded") { try await caller.openTurn() }
    lines.removeLast().socket.close()
    try await eventually("room for another turn") { (try? await caller.openTurn()) != nil }
  }

  /// The backend would send a gigabyte: the service stops reading, and its memory stays small.
  @Test(arguments: World.Plan.Transport.allCases)
  func aCallerThatDoesNotReadStopsTheBackend(over transport: World.Plan.Transport) async throws {
    let (world, caller) = try await World.signedIn(transport)
    let witness = try await MemoryWitness(world)
    try await world.sandbox.play(#"[{"endpoint":"responses","flood":{"of":"text","size":1000,"count":1000000}}]"#)
    let line = try await caller.ask("go on")
    // The text stops to grow, far from the limit of an answer.
    var length = -1
    try await eventually("the text to stop") {
      let before = length
      length = try await line.turn.snapshot().text.utf8.count
      try await sleep(for: .milliseconds(200))
      return length > 0 && length == before
    }
    #expect(length < 2 << 20)
    #expect(try await line.turn.snapshot().status == "running")
    try await witness.expectHealthyService(growth: 24 << 20)
    // The caller reads after all, up to the limit of an answer.
    let end = try await line.end()
    #expect(end.errorName == "LimitExceeded")
    #expect(line.text.utf8.count > length)
    #expect(line.text == end.text("partial_text"))
    #expect(line.text.utf8.allSatisfy { $0 == UInt8(ascii: "x") })
  }

  // MARK: What is prepared

  /// The first turn of a service finds its connection open and its model known.
  @Test func anOpenedTurnPreparesItsConnection() async throws {
    let (world, caller) = try await World.signedIn()
    for _ in 0..<50 { try await caller.openTurn().socket.close() }
    let line = try await caller.openTurn()
    try await eventually("a connection") {
      let state = try await world.sandbox.state()
      return state.openSockets == 1 && state.requests["models"] == 1
    }
    line.write(["text": "hello"])
    #expect(try await line.end().name == "completed")
    #expect(try await caller.ask("hello").end().name == "completed")
    #expect(try await world.sandbox.state().requests["handshake"] == 1)

    // The preparation is the first to read the credential.
    try await world.service.restart()
    let next = try await caller.openTurn()
    try await eventually("a connection") { try await world.sandbox.state().openSockets == 1 }
    next.write(["text": "hello"])
    #expect(try await next.end().name == "completed")
    #expect(try await world.sandbox.state().requests["handshake"] == 2)

    // A preparation that fails does not count: the turn itself reports what is wrong.
    try await world.service.restart()
    try await world.sandbox.play(#"[{"endpoint":"handshake","status":500}]"#)
    let refused = try await caller.openTurn()
    try await eventually("a refusal") { try await world.sandbox.state().requests["handshake"] == 3 }
    refused.write(["text": "hello"])
    #expect(try await refused.end().name == "completed")
  }
}
