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
      ([0x81, 1, 0xFF], false), ([0x81, 2, 0x41, 0xC3], false), ([0x81, 0x80, 0, 0, 0, 0], false), ([0x83, 0], false),
      ([0x80, 1, 0x41], false),
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
}
