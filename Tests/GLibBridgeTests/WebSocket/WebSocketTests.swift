// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// A client WebSocket handles valid and invalid bytes of a server.
@Suite(.timeLimit(.minutes(10)))
@GLibActor
struct WebSocketTests {
  /// Reads `count` messages.
  private func messages(_ count: Int, of pipe: WebSocketPipe) async throws -> [String] {
    var messages: [String] = []
    try await pipe.socket.forEachMessage(idleDeadline: .seconds(30)) { message in
      messages.append(String(decoding: Array(copying: message), as: UTF8.self))
      return messages.count == count ? .stop : .proceed
    }
    return messages
  }

  // MARK: Messages

  @Test func deliversWholeMessagesInOrder() async throws {
    let pipe = try WebSocketPipe()
    pipe.send("one")
    pipe.send("tw", .text, isLast: false)
    pipe.send("", .ping)
    pipe.send("o", .continuation)
    pipe.send("")
    #expect(try await messages(3, of: pipe) == ["one", "two", ""])
    #expect(pipe.received().map(\.opcode) == [.pong])
    // A message that arrives between two readers waits for the second.
    pipe.send("three")
    #expect(try await messages(1, of: pipe) == ["three"])
    #expect(pipe.socket.isOpen)
  }

  // MARK: Resting

  /// The unexpected message waits before the socket rests, or arrives later.
  @Test(arguments: [false, true])
  func anUnexpectedMessageClosesARestingSocket(_ isThereAlready: Bool) async throws {
    let pipe = try WebSocketPipe()
    pipe.send("one")
    if isThereAlready { pipe.send("late") }
    #expect(try await messages(1, of: pipe) == ["one"])
    await pipe.socket.readWhatIsHere()
    var shown: [String] = []
    pipe.socket.rest { message in
      shown.append(String(decoding: Array(copying: message), as: UTF8.self))
      return shown.last == "news"
    }
    #expect(pipe.socket.isOpen == !isThereAlready)
    if !isThereAlready {
      pipe.send("news")
      await pipe.socket.readWhatIsHere()
      #expect(pipe.socket.isOpen)
      pipe.send("late")
      await pipe.socket.readWhatIsHere()
    }
    #expect(shown == (isThereAlready ? ["late"] : ["news", "late"]))
    #expect(!pipe.socket.isOpen)
    #expect(try await pipe.failure().message.contains("unexpected message"))
  }

  /// An answer can arrive before its reader begins to read.
  @Test func aRequestedMessageWaitsForItsReader() async throws {
    let pipe = try WebSocketPipe()
    pipe.socket.rest { _ in false }
    pipe.socket.send(Array("question".utf8))
    pipe.send("answer")
    await pipe.socket.readWhatIsHere()
    #expect(pipe.socket.isOpen)
    #expect(try await messages(1, of: pipe) == ["answer"])
  }

  @Test func hasUnreadReportsWaitingMessages() async throws {
    let pipe = try WebSocketPipe()
    #expect(!pipe.socket.hasUnread)
    pipe.send("one")
    #expect(pipe.socket.hasUnread)
    await pipe.socket.readWhatIsHere()
    // No reader has received the message.
    #expect(pipe.socket.hasUnread)
    #expect(try await messages(1, of: pipe) == ["one"])
    #expect(!pipe.socket.hasUnread)
  }

  // MARK: Ends

  @Test func aBinaryMessageClosesTheSocket() async throws {
    let pipe = try WebSocketPipe()
    pipe.send([0, 255], .binary)
    #expect(try await pipe.failure().message.contains("binary"))
    #expect(!pipe.socket.isOpen)
    var frames = pipe.received()
    while frames.isEmpty {
      try await sleep(for: .milliseconds(1))
      frames = pipe.received()
    }
    // 1003: unsupported data.
    #expect(frames.map(\.opcode) == [.close])
    #expect(frames.first?.payload.prefix(2) == [0x03, 0xEB])
    // The socket stays closed and keeps its error.
    pipe.socket.send(Array("too late".utf8))
    #expect(try await pipe.failure().message.contains("binary"))
  }

  @Test(
    arguments: [
      // Invalid UTF-8, half a character, an unknown opcode.
      ([0x81, 1, 0xFF], false), ([0x81, 2, 0x41, 0xC3], false), ([0x83, 0], false),
      // The header of a huge message, which takes no memory.
      ([0x81, 127, 0, 0, 0, 0, 0x01, 0, 0, 1], false),
      // The end of the connection.
      ([], true), ([0x81], true), ([0x81, 10, 0x41], true),
    ] as [([UInt8], Bool)])
  func anInvalidFrameOrAnEndClosesTheSocket(_ bytes: [UInt8], _ hangsUp: Bool) async throws {
    let pipe = try WebSocketPipe()
    pipe.sendRaw(bytes)
    if hangsUp { pipe.hangUp() }
    _ = try await pipe.failure()
    #expect(!pipe.socket.isOpen)
  }

  @Test func aCloseFrameClosesTheSocketAfterEarlierMessages() async throws {
    let pipe = try WebSocketPipe()
    pipe.send("last")
    pipe.send([0x03, 0xE8], .close)
    #expect(try await messages(1, of: pipe) == ["last"])
    #expect(try await pipe.failure().message.contains("closed"))
    #expect(!pipe.socket.isOpen)
  }

  @Test func throwsATimeoutAfterTheIdleDeadline() async throws {
    let pipe = try WebSocketPipe()
    pipe.send("a word")
    #expect(try await pipe.failure(idleDeadline: .milliseconds(30)).isTimeout)
    // The socket stays open: its user decides what follows a timeout.
    #expect(pipe.socket.isOpen)
  }

  @Test func cancellationEndsReading() async throws {
    let pipe = try WebSocketPipe()
    let reading = Task.onGLib {
      try await pipe.socket.forEachMessage(idleDeadline: .seconds(30)) { _ in .proceed }
    }
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
  }

  /// The closed socket waits for the peer's close frame and is then released.
  @Test func aClosedSocketIsReleasedAfterThePeersCloseFrame() async throws {
    var pipe: WebSocketPipe? = try WebSocketPipe()
    weak let socket = pipe?.socket
    pipe?.socket.close()
    #expect(socket?.isOpen == false)
    pipe?.send([0x03, 0xE8], .close)
    pipe = nil
    while socket != nil { try await sleep(for: .milliseconds(1)) }
  }

  // MARK: A server that sends as fast as the connection allows

  @Test func answersPingsUpToAFlood() async throws {
    let pipe = try WebSocketPipe()
    for _ in 0..<100 { pipe.send("", .ping) }
    pipe.send("a word")
    try await pipe.socket.forEachMessage(idleDeadline: .seconds(30)) { _ in .stop }
    var pongs = 0
    while pongs < 100 {
      pongs += pipe.received().filter { $0.opcode == .pong }.count
      try await sleep(for: .milliseconds(1))
    }
    #expect(pongs == 100)
    pipe.sendRaw(Array(repeating: [0x89, 0], count: 1000).flatMap { $0 })
    #expect(try await pipe.failure().message.contains("flood"))
    #expect(!pipe.socket.isOpen)
  }

  /// The socket reads in slices, so that other work of the main loop runs in between.
  @Test func otherTasksRunBetweenMessages() async throws {
    let pipe = try WebSocketPipe()
    let messages = Array(repeating: [0x81, 2] + Array("{}".utf8), count: 40_000).flatMap { $0 }
    let count = messages.count / 4
    var turns = 0
    var taken = 0
    var first: Int?
    let reading = Task.onGLib {
      try await pipe.socket.forEachMessage(idleDeadline: .seconds(30)) { _ in
        first = first ?? turns
        taken += 1
        return taken == count ? .stop : .proceed
      }
    }
    // The reader starts first: it would get messages that already wait without a pause.
    await Task.yield()
    pipe.sendRaw(messages)
    let other = Task.onGLib {
      while !Task.isCancelled {
        turns += 1
        await Task.yield()
      }
    }
    try await reading.value
    other.cancel()
    #expect(turns - (first ?? turns) >= 5)
  }

  /// The socket reads nothing for a paused reader, so the sender has to wait.
  @Test func aPauseStopsTheSender() async throws {
    let pipe = try WebSocketPipe()
    let pause = Wait()
    var taken = 0
    let message = [0x81, 126, 0x7F, 0xFF] + [UInt8](repeating: 0x78, count: 0x7FFF)
    let reading = Task.onGLib {
      try await pipe.socket.forEachMessage(idleDeadline: .seconds(30)) { _ in
        taken += 1
        if taken == 1 { return .pause(until: Task.onGLib { await pause.value() }) }
        return taken == 100 ? .stop : .proceed
      }
    }
    var sent = 0
    let writing = Task.onGLib {
      for _ in 0..<100 {
        try await pipe.sendSlowly(message)
        sent += 1
      }
    }
    while taken == 0 { try await sleep(for: .milliseconds(1)) }
    var before = -1
    while before != sent {
      before = sent
      try await sleep(for: .milliseconds(50))
    }
    #expect(taken == 1)
    #expect(sent < 50)
    pause.finish()
    try await reading.value
    try await writing.value
    #expect(taken == 100)
  }
}
