// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// A client WebSocket handles valid and invalid bytes of a server.
@Suite(.timeLimit(.minutes(1)))
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

  /// Reads until the socket fails, and returns the error.
  private func failure(of pipe: WebSocketPipe, idleDeadline: Duration = .seconds(30)) async throws -> GLibError {
    do {
      try await pipe.socket.forEachMessage(idleDeadline: idleDeadline) { _ in .proceed }
      throw WebSocketPipe.Failure()
    } catch let error as GLibError {
      return error
    }
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

  @Test func aPausedReaderLosesNoMessage() async throws {
    let pipe = try WebSocketPipe()
    let pause = Wait()
    var messages: [String] = []
    let reading = Task.onGLib {
      try await pipe.socket.forEachMessage(idleDeadline: .seconds(30)) { message in
        messages.append(String(decoding: Array(copying: message), as: UTF8.self))
        if messages.count == 1 { return .pause(until: Task.onGLib { await pause.value() }) }
        return messages.count == 4 ? .stop : .proceed
      }
    }
    for text in ["one", "two", "three"] { pipe.send(text) }
    pipe.send("", .ping)
    while messages.isEmpty { try await sleep(for: .milliseconds(1)) }
    for _ in 0..<10 { await Task.yield() }
    #expect(messages == ["one"])
    pause.finish()
    pipe.send("four")
    try await reading.value
    #expect(pipe.received().map(\.opcode) == [.pong])
    #expect(messages == ["one", "two", "three", "four"])
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
    #expect(try await failure(of: pipe).message.contains("unexpected message"))
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

  @Test func sendsATextFrame() async throws {
    let pipe = try WebSocketPipe()
    pipe.socket.send(Array("Grüße".utf8))
    var frames = pipe.received()
    while frames.isEmpty {
      try await sleep(for: .milliseconds(1))
      frames = pipe.received()
    }
    #expect(frames.map(\.opcode) == [.text])
    #expect(frames.map { String(decoding: $0.payload, as: UTF8.self) } == ["Grüße"])
  }

  // MARK: Ends

  @Test func aBinaryMessageClosesTheSocket() async throws {
    let pipe = try WebSocketPipe()
    pipe.send([0, 255], .binary)
    #expect(try await failure(of: pipe).message.contains("binary"))
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
    #expect(try await failure(of: pipe).message.contains("binary"))
  }

  /// The header alone closes the socket, so a message of that size takes no memory.
  @Test func aHugeMessageClosesTheSocket() async throws {
    let pipe = try WebSocketPipe()
    pipe.send("before")
    pipe.sendRaw([0x81, 127, 0, 0, 0, 0, 0x01, 0, 0, 1])
    var messages: [String] = []
    await #expect(throws: GLibError.self) {
      try await pipe.socket.forEachMessage(idleDeadline: .seconds(30)) { message in
        messages.append(String(decoding: Array(copying: message), as: UTF8.self))
        return .proceed
      }
    }
    #expect(messages == ["before"])
    #expect(!pipe.socket.isOpen)
  }

  @Test(
    arguments: [
      // Invalid UTF-8, half a character, a masked frame, an unknown opcode, a continuation without a beginning.
      [0x81, 1, 0xFF], [0x81, 2, 0x41, 0xC3], [0x81, 0x80, 0, 0, 0, 0], [0x83, 0], [0x80, 1, 0x41],
    ] as [[UInt8]])
  func anInvalidFrameClosesTheSocket(_ bytes: [UInt8]) async throws {
    let pipe = try WebSocketPipe()
    pipe.sendRaw(bytes)
    _ = try await failure(of: pipe)
    #expect(!pipe.socket.isOpen)
  }

  @Test(arguments: [[], [0x81], [0x81, 10, 0x41]] as [[UInt8]])
  func theEndOfTheConnectionClosesTheSocket(after bytes: [UInt8]) async throws {
    let pipe = try WebSocketPipe()
    pipe.sendRaw(bytes)
    pipe.hangUp()
    _ = try await failure(of: pipe)
    #expect(!pipe.socket.isOpen)
  }

  @Test func aCloseFrameClosesTheSocketAfterEarlierMessages() async throws {
    let pipe = try WebSocketPipe()
    pipe.send("last")
    pipe.send([0x03, 0xE8], .close)
    #expect(try await messages(1, of: pipe) == ["last"])
    #expect(try await failure(of: pipe).message.contains("closed"))
    #expect(!pipe.socket.isOpen)
  }

  @Test func throwsATimeoutAfterTheIdleDeadline() async throws {
    let pipe = try WebSocketPipe()
    pipe.send("a word")
    #expect(try await failure(of: pipe, idleDeadline: .milliseconds(30)).isTimeout)
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
}
